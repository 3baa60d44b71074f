import { describe, expect, it } from 'vitest';
import { check, running, scenario, waiting } from '../../test/checks';
import { sentence } from './sentence';

const doubled = { observed_effects: 3 };

describe('a check that is over', () => {
  it('passed says so, and what is a risk', () => {
    expect(sentence(check([scenario('retry', 'pass')]))).toBe(
      'The effect ran once in everything that was tried.',
    );
    expect(sentence(check([scenario('large-body', 'warn'), scenario('stale-timestamp', 'warn')]))).toBe(
      'The effect ran once in everything that was tried. 2 things are still a risk: large-body and stale-timestamp.',
    );
  });

  it('failed tells doubled, lost and other failures apart', () => {
    expect(sentence(check([scenario('concurrent', 'fail', doubled)]))).toBe(
      'The effect ran too often in concurrent.',
    );
    expect(
      sentence(
        check([
          scenario('concurrent', 'fail', doubled),
          scenario('work-fails', 'fail', { observed_effects: 0 }),
          scenario('exact-bytes', 'fail'),
        ]),
      ),
    ).toBe(
      'The effect ran too often in concurrent; it ran too seldom in work-fails; the handler failed in exact-bytes too.',
    );
    expect(sentence(check([scenario('malformed-json', 'fail', { expected_effects: null })]))).toBe(
      'The handler failed in malformed-json.',
    );
  });

  it('names a few and counts the others', () => {
    const many = (['retry', 'late-retry', 'concurrent', 'race-search', 'slow-work'] as const).map((id) =>
      scenario(id, 'fail', doubled),
    );
    expect(sentence(check(many))).toBe(
      'The effect ran too often in retry, late-retry, concurrent and 2 others.',
    );
  });

  it('whose first delivery failed tried nothing else', () => {
    const first = scenario('first-delivery', 'fail', { observed_effects: 0 });
    expect(sentence(check([first, scenario('retry', 'skipped')]))).toBe(
      'Already the first delivery failed, so nothing else was tried.',
    );
  });

  it('failed and says what could not be told beside it', () => {
    const failed = scenario('slow-work', 'fail');
    expect(sentence(check([failed, scenario('work-fails', 'unknown')]))).toBe(
      'The handler failed in slow-work. It could not be told for work-fails.',
    );
    expect(sentence(check([scenario('first-delivery', 'unknown'), failed]))).toMatch(
      /^The handler failed in slow-work\. No probe saw/,
    );
  });

  it('without evidence is never a pass, and says what to do', () => {
    expect(sentence(check([scenario('first-delivery', 'unknown')]))).toMatch(
      /^No probe saw the effect.*Try each/,
    );
    expect(sentence(check([scenario('slow-work', 'unknown')]))).toBe('It could not be told for slow-work.');
  });
});

it('a check on its way says what it does, and what failed already', () => {
  expect(sentence(running([waiting('first-delivery')]))).toBe('The handler is being reached.');
  expect(sentence(running([scenario('retry', 'fail', doubled), waiting('race-search', 'searching')]))).toBe(
    'Now: race-search. Already failed: retry.',
  );
});

it('a check that was stopped says what was seen until then', () => {
  expect(sentence(check([scenario('retry', 'skipped')], { state: 'stopped', overall: null }))).toBe(
    'Stopped before anything was examined.',
  );
  expect(sentence(check([scenario('retry', 'fail', doubled)], { state: 'stopped', overall: null }))).toBe(
    'Stopped before the end. Until then the effect ran too often in retry.',
  );
});
