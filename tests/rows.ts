// What `cargo xtask bench rows` measures: the Inbox over 100,000 stored deliveries in Chromium. The figures are written as
// JSON to the file that ROWS_FIGURES names.

import type { Page } from 'playwright-core';
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { blank, launch } from './support/chromium';
import { begin, end, type Frames } from './support/frames';
import { rows } from './support/pages';
import { burst, rpc, serve, until, type Serving } from './support/program';

const STORED = 100_000;
const BURST = 10_000;
/** How long it is scrolled from one end to the other, in milliseconds. */
const SCROLLING = 4000;

/** What is typed, and how often it occurs. */
const FILTERS: [text: string, kind: string][] = [
  ['artifacts', 'a word of every body'],
  ['"warm light"', 'words of a body in ten'],
  ['moonlit', 'a word of a body in a thousand'],
  ['zeppelin', 'a word of no body'],
  ['q', 'a letter of few bodies'],
  ['load_77777', 'a job'],
  ['event:failed', 'an event'],
  ['claim:duplicate -sig:invalid', 'duplicates'],
  ['status>=400', 'a status that none has'],
];

type Figures = {
  frames: Record<string, Frames>;
  filters: { text: string; kind: string; matches: number; ms: number }[];
  opened: number;
  arrived: { seconds: number; statuses: Record<string, number> };
};

/** Scrolls the list with every frame from one end to the other and back, for so long. */
function scroll(page: Page, ms: number): Promise<void> {
  return page.evaluate(
    (length) =>
      new Promise<void>((done) => {
        const viewport = document.querySelector('[role="grid"] .rows')!;
        const begun = performance.now();
        const step = () => {
          const part = Math.min(1, (performance.now() - begun) / length);
          const there = part < 0.7 ? part / 0.7 : (1 - part) / 0.3;
          viewport.scrollTop = there * (viewport.scrollHeight - viewport.clientHeight);
          if (part < 1) requestAnimationFrame(step);
          else done();
        };
        step();
      }),
    ms,
  );
}

/** Fills the filter in at once; how long until the rows that it asks for are drawn, in milliseconds. */
async function fill(page: Page, served: Serving, text: string): Promise<number> {
  const { rows: wanted } = await rpc(served, 'deliveries.list', {
    filter: text,
    limit: 12,
    before: null,
    offset: 0,
    quick: true,
  });
  const drawn = page.evaluate(
    (seqs) => {
      const input = document.querySelector<HTMLInputElement>('[aria-label="Filter"]')!;
      return new Promise<number>((done, fail) => {
        const begin = () => {
          const begun = performance.now();
          const look = () => {
            const found = [...document.querySelectorAll('[data-testid="delivery-row"]')];
            const there = seqs.every((seq, at) => found[at]?.getAttribute('data-seq') === `${seq}`);
            const none = seqs.length > 0 || document.querySelector('.list > .none') !== null;
            if (there && none) done(performance.now() - begun);
            else if (performance.now() - begun > 10_000) fail(new Error('the rows of a filter never came'));
            else requestAnimationFrame(look);
          };
          look();
        };
        input.addEventListener('input', begin, { once: true });
      });
    },
    wanted.map((row) => row.seq),
  );
  await page.getByRole('textbox', { name: 'Filter' }).fill(text);
  return drawn;
}

/** The filter's count, when it is there. */
async function counted(page: Page, served: Serving, text: string): Promise<number> {
  const { all } = await rpc(served, 'deliveries.counts', { filter: text });
  await page.getByRole('button', { name: `All ${all.toLocaleString('en')}`, exact: true }).waitFor();
  return all;
}

test('100,000 rows', async () => {
  const served = await serve();
  const browser = await launch();
  try {
    const { statuses } = await burst(served.listener, STORED, 0, 10, 'sume');
    expect(statuses).toEqual({ 204: STORED });
    const figures: Figures = { frames: {}, filters: [], opened: 0, arrived: { seconds: 0, statuses: {} } };
    const measure = async (name: string, page: Page, act: () => Promise<unknown>) => {
      await page.evaluate(begin);
      await act();
      figures.frames[name] = await end(page);
    };

    const page = await blank(browser);
    await page.addInitScript(begin);
    await page.goto(served.page);
    await rows(page).first().waitFor();
    figures.opened = await page.evaluate(() => performance.now());
    await counted(page, served, '');
    await page.waitForTimeout(1000);
    figures.frames['opening'] = await end(page);
    await measure('scrolling end to end', page, () => scroll(page, SCROLLING));
    await measure('selecting', page, async () => {
      await rows(page).first().click();
      for (let n = 0; n < 60; n += 1) await page.keyboard.press('j');
      await page.getByRole('row', { selected: true }).waitFor();
    });
    await page.keyboard.press('Escape');
    await scroll(page, 500);

    const filter = page.getByRole('textbox', { name: 'Filter' });
    for (const [text, kind] of FILTERS) {
      await filter.fill('');
      await counted(page, served, '');
      const ms = await fill(page, served, text);
      figures.filters.push({ text, kind, ms, matches: await counted(page, served, text) });
    }
    await filter.fill('');
    await measure('typing a filter', page, async () => {
      for (const [text] of FILTERS) {
        await filter.fill('');
        await filter.pressSequentially(text, { delay: 60 });
      }
    });
    await filter.fill('');
    await counted(page, served, '');

    await measure('10,000 arriving while scrolling', page, async () => {
      let arriving = true;
      const sent = burst(served.listener, BURST, 2, 10, 'sume').finally(() => (arriving = false));
      await until('the first of them', async () => {
        return (await rpc(served, 'deliveries.counts', { filter: '' })).all > STORED;
      });
      while (arriving) await scroll(page, 1000);
      const { statuses, seconds } = await sent;
      figures.arrived = { statuses, seconds };
    });
    await counted(page, served, '');
    writeFileSync(process.env['ROWS_FIGURES'] ?? '/dev/stdout', JSON.stringify(figures));
  } finally {
    await browser.close();
    await served.stop();
  }
});
