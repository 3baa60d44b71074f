// The README's pictures, of the real window at 1280 by 800, with deliveries as Sume sends them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { test } from 'vitest';
import { launch } from './support/chromium';
import { handler } from './support/handlers';
import { dataFolder, post, SECRET, signed, until } from './support/program';
import { standIn, type StandIn } from './support/sume';
import { AppWindow } from './support/window';

const DOCS = resolve(import.meta.dirname, '../docs');
const LISTENER = 'http://127.0.0.1:4400';

/** A finished job as Sume tells of it. */
function finished(job: string, artifact: string, more: object = {}): string {
  return JSON.stringify({
    event: 'job.completed',
    job_id: job,
    status: 'completed',
    status_url: `https://api.sume.com/v1/jobs/${job}/status`,
    artifacts: [{ type: artifact, url: `https://cdn.sume.com/${job}/out.${artifact.split('/')[1]}` }],
    ...more,
  });
}

/** A morning's deliveries: jobs once and twice, one that was changed on the way, one that was forged, a test. */
async function seed(): Promise<void> {
  const hook = `${LISTENER}/webhooks/sume`;
  const send = async (body: string, headers = signed(body)) => {
    await post(hook, body, headers);
    await setTimeout(140);
  };
  const clip = finished('job_7c19e04b52d8', 'video/mp4');
  const still = finished('job_e2a80f6d3b41', 'image/png');
  const voice = finished('job_40b7d9c15ea3', 'audio/wav');
  const scene = finished('job_9f53c2817ba6', 'video/mp4', { duration_s: 8 });
  const failed = JSON.stringify({
    event: 'job.failed',
    job_id: 'job_1bd6407fe92c',
    status: 'failed',
    error: { code: 'content_policy', message: 'The prompt was refused.' },
  });
  await send(JSON.stringify({ event: 'webhook.test', message: 'Hello from Sume' }));
  await send(clip);
  await send(still);
  await send(still);
  await send(failed);
  await send(voice);
  await send(finished('job_5a0ce7719d34', 'image/webp'));
  await send(finished('job_5a0ce7719d34', 'image/webp').replace('job_5a', 'job_6a'), signed('another body'));
  await send(finished('job_c84f21aa06e7', 'video/mp4'));
  await send(voice);
  await send(finished('job_c84f21aa06e7', 'video/mp4', { attempt: 2 }));
  await send(finished('job_2e7d5b90c3f1', 'image/png'));
  await send(finished('job_d3910b6e48fa', 'video/mp4'));
  await send(scene);
  await send(scene);
  await send(scene);
}

/** The first attempt of a job that is refused, and comes again by the schedule while the other pictures are taken. */
async function schedule(window: AppWindow): Promise<void> {
  const { settings } = await window.rpc('app.state', {});
  await window.rpc('settings.set', { ...settings, listen: { ...settings.listen, fail_first: 1 } });
  const plan = {
    url: `${LISTENER}/webhooks/sume`,
    method: 'POST',
    body_base64: Buffer.from(finished('job_83ad20f6b97c', 'video/mp4')).toString('base64'),
    delivery: null,
    edited: false,
    headers: [],
    copies: 1,
    release: { kind: 'together' },
    signing: 'each',
    protocol: 'auto',
    timeout_ms: 10_000,
    allow_host: null,
  } as const;
  const times = { attempts: 10, gap_ms: 30_000, timeout_ms: 10_000, time_scale: 1, stop_on: [] };
  await window.rpc('deliver.start', { spec: { plan: { ...plan, headers: [] }, schedule: times } });
  await until('the first attempt was refused', async () => {
    const [report] = (await window.rpc('deliver.runs', {})).reports;
    return report?.attempts.length === 1;
  });
  await window.rpc('settings.set', settings);
}

/** A tunnel, a key, and jobs of which one came, one was missed and one is waited for. */
async function pair(window: AppWindow, sume: StandIn): Promise<void> {
  sume.jobs.set('job_7c19e04b52d8', 'completed').set('job_e2a80f6d3b41', 'completed');
  sume.jobs.set('job_51d77ce0a94b', 'COMPLETED').set('job_b60c2e83f5d1', 'processing');
  const { settings } = await window.rpc('app.state', {});
  await window.rpc('settings.set', {
    ...settings,
    sume: { ...settings.sume, base_url: sume.base },
    tunnel: {
      ...settings.tunnel,
      preset: 'command',
      command: `exec node ${resolve(import.meta.dirname, 'support/relay.mjs')} {port}`,
      path: '/webhooks/sume',
    },
  });
  await window.rpc('sume.set_key', { key: sume.key });
  await window.rpc('tunnel.start', {});
  await window.rpc('sume.watch', { job_ids: [...sume.jobs.keys()], expect_within_s: 1 });
}

/** The report that a colleague gets, as a browser shows it. */
async function takeReport(folder: string, html: string): Promise<void> {
  const file = join(folder, 'report.html');
  writeFileSync(file, html);
  const browser = await launch();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
    await page.goto(`file://${file}`);
    writeFileSync(join(DOCS, 'report-light.png'), await page.screenshot());
  } finally {
    await browser.close();
  }
}

test('pictures', async () => {
  const root = dataFolder();
  const place = { home: join(root.path, 'home'), folder: join(root.path, 'data') };
  for (const folder of Object.values(place)) mkdirSync(folder);
  writeFileSync(join(place.folder, 'settings.json'), JSON.stringify({ listen: { port: 4400 } }));
  const racy = await handler('node_look_then_insert.mjs');
  const sume = await standIn();
  const window = await AppWindow.open(place);
  const take = async (name: string) => {
    // Fonts and short motions are done.
    await setTimeout(700);
    writeFileSync(join(DOCS, `${name}.png`), await window.picture());
  };
  const theme = async (choice: 'light' | 'dark') => {
    await window.run("localStorage.setItem('hooktwice.theme', JSON.stringify(arguments[0]))", choice);
    await window.reload();
    await window.shows(LISTENER);
  };
  const go = (name: string) => window.click(`//nav//a[contains(., '${name}')]`);
  const open = async (seq: number, tab: string) => {
    await go('Inbox');
    await window.click(`//*[@data-seq='${seq}']`);
    await window.click(`//*[@role='tab'][normalize-space(.)='${tab}']`);
  };
  /** Opens the race that is found most surely, unless it opened by itself. */
  const unfold = () =>
    window.run(`
      const head = document.querySelector('[data-id=concurrent] [data-scenario-head]');
      if (head.getAttribute('aria-expanded') === 'false') head.click();`);
  try {
    await window.shows(LISTENER);
    await window.rpc('secret.set', { scheme: 'sume', name: 'sume', secret: SECRET });
    await schedule(window);
    await seed();
    for (const choice of ['light', 'dark'] as const) {
      await theme(choice);
      await open(16, 'Job');
      await take(`inbox-${choice}`);
    }
    await go('Fire');
    await window.click("//label[normalize-space(.) = '20']");
    await window.click("//*[@data-testid='fire-go']");
    await window.shows('19 were duplicates');
    await take('fire-dark');
    await theme('light');
    await go('Demo');
    await window.click("//button[starts-with(normalize-space(.), 'Run')]");
    await window.shows('ran once');
    await take('demo-light');
    await go('Check');
    await window.fill("(//*[@data-testid='page-check']//input)[1]", racy.url);
    await window.click("//button[normalize-space(.) = 'Ask a URL']");
    await window.fill("//*[@placeholder='http://127.0.0.1:3000/effects/{job_id}']", racy.effects);
    await window.fill("//*[@placeholder='/count']", '/count');
    await window.click("//*[@data-testid='check-go']");
    await window.shows('ran too often', 120_000);
    await unfold();
    await take('check-light');
    const [check] = (await window.rpc('check.runs', {})).checks;
    const report = await window.rpc('check.report', { id: check?.id ?? '', format: 'html' });
    await takeReport(root.path, report.text);
    await theme('dark');
    await go('Check');
    await window.click("//*[@data-testid='last-check']//button");
    await window.shows('ran too often');
    await unfold();
    await take('check-dark');
    await pair(window, sume);
    for (const choice of ['dark', 'light'] as const) {
      await theme(choice);
      await go('Sume');
      await window.shows('1 webhook was missed', 30_000);
      await take(`sume-${choice}`);
    }
    // The second attempt has come by now.
    await go('Inbox');
    await window.fill("//*[@aria-label='Filter']", 'job:job_83ad20f6b97c');
    const rows = `return document.querySelectorAll('[data-testid="delivery-row"]').length`;
    // A row that is about to move is missed.
    await until('the rows of the job', async () => (await window.run<number>(rows)) <= 2, 10_000);
    await open(1, 'Job');
    await window.shows('was acknowledged in time', 60_000);
    await take('schedule-light');
  } finally {
    await window.close();
    await sume.stop();
    await racy.stop();
    root.remove();
  }
});
