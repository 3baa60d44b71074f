import axe, { type AxeResults, type NodeResult, type RunOptions, type Spec } from 'axe-core';
import type { Page } from 'playwright-core';
import { until } from './program';

type Look = { theme: 'light' | 'dark'; width: number; height: number };

/** The two windows that the pages are drawn for, each in one theme. From state to state the themes change places. */
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 900, height: 600 };
const LOOKS: readonly (readonly Look[])[] = [
  [
    { theme: 'light', ...WIDE },
    { theme: 'dark', ...NARROW },
  ],
  [
    { theme: 'dark', ...WIDE },
    { theme: 'light', ...NARROW },
  ],
];

/** WCAG 2.2 up to AA, and what axe advises beside it. No rule is off. */
const ALL: RunOptions['runOnly'] = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
/** No style sheet is fetched again, no way to an element is worked out, and there is no other frame. */
const QUICK: RunOptions = { preload: false, selectors: false, iframes: false };

/** A menu stands at the end of the document as dialogs do, for which axe asks no landmark. */
const SPEC: Spec = {
  checks: [
    {
      id: 'region',
      options: { regionMatcher: 'dialog, [role=dialog], [role=alertdialog], svg, [role=menu]' },
    },
  ],
};

/** Looks at a page with axe-core, state after state. */
export class Looks {
  readonly #found = new Map<string, string[]>();
  #states = 0;

  constructor(private readonly page: Page) {}

  /** What was found, each fault once with where it stands. */
  get found(): string[] {
    return [...this.#found].map(([fault, places]) => `${fault}\n    in ${places.join('; ')}`);
  }

  /** Looks at the page as it stands; a menu is opened anew in each size, since another size closes it. */
  async at(state: string, menu?: () => Promise<unknown>): Promise<void> {
    for (const { theme, ...size } of LOOKS[this.#states++ % LOOKS.length] ?? []) {
      await this.page.setViewportSize(size);
      await this.page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await menu?.();
      if (menu) await this.page.getByRole('menu').waitFor();
      await until(`the page is ${theme}`, () => this.page.evaluate(settled, theme));
      const place = `${state}, ${theme}, ${size.width}x${size.height}`;
      for (const fault of told(await this.run({ runOnly: ALL, resultTypes: ['violations'], ...QUICK })))
        this.#found.set(fault, [...(this.#found.get(fault) ?? []), place]);
      if (!menu) continue;
      await this.page.keyboard.press('Escape');
      await this.page.getByRole('menu').waitFor({ state: 'detached' });
    }
    await this.page.setViewportSize(WIDE);
  }

  /** Runs axe in the page. It comes through the debugger, so the page's own security policy stays as it is. */
  private async run(options: RunOptions): Promise<AxeResults> {
    if (!(await this.page.evaluate(() => 'axe' in window))) {
      await this.page.evaluate(axe.source);
      await this.page.evaluate(
        (spec) => (window as unknown as { axe: typeof axe }).axe.configure(spec),
        SPEC,
      );
    }
    return this.page.evaluate(
      (given) => (window as unknown as { axe: typeof axe }).axe.run(document, given),
      options,
    );
  }
}

/** Whether the page has taken a theme, and nothing is on its way to another colour. */
function settled(theme: string): boolean {
  const moving = document.getAnimations().some((one) => one instanceof CSSTransition);
  return document.documentElement.dataset['theme'] === theme && !moving;
}

function told({ violations }: AxeResults): string[] {
  return violations.flatMap(({ id, help, nodes }) =>
    nodes
      .filter((node) => !isLane(id, node))
      .map(({ html, any, all, none }) => {
        const why = [...any, ...all, ...none].map(({ message }) => message).join('; ');
        return `${id} (${help}): ${html.slice(0, 200)} – ${why}`;
      }),
  );
}

/** The number and the status of a lane are drawn apart; axe takes them for one word and misses it in the lane's name. */
function isLane(id: string, { html }: NodeResult): boolean {
  return id === 'label-content-name-mismatch' && /^<g [^>]*role="option"/.test(html);
}
