import type { ClaimState } from '$bindings/ClaimState';
import { describe, expect, it } from 'vitest';
import { copy, run, summary } from '../../test/runs';
import { sentence } from './sentence';

const claims = (...states: ClaimState[]) => new Map(states.map((state, index) => [index + 1, state]));

describe('one copy', () => {
  it('is told with its time', () => {
    expect(sentence(run([copy(1, { total_ms: 1.94 })]))).toBe('One copy, answered 204 in 1.9 ms.');
  });
  it('without an answer may have taken effect', () => {
    const lost = copy(1, { outcome: 'unknown', status: null });
    expect(sentence(run([lost]))).toBe('The copy got no answer: it may have taken effect.');
  });
  it('that never left is told apart', () => {
    expect(sentence(run([copy(1, { outcome: 'not-sent', status: null })]))).toBe('The copy was never sent.');
  });
});

describe('a volley', () => {
  const ten = Array.from({ length: 10 }, (_, i) => copy(i + 1));

  it('that went well is one word', () => {
    expect(sentence(run(ten))).toBe('10 copies at once, all answered 204.');
    expect(sentence(run(ten, { release: { kind: 'sequential' } }))).toBe(
      '10 copies in a row, all answered 204.',
    );
    expect(sentence(run(ten, { release: { kind: 'gap', ms: 100 } }))).toBe(
      '10 copies 100 ms apart, all answered 204.',
    );
  });

  it('is told by how many came to which end', () => {
    const mixed = [
      ...ten.slice(0, 6),
      copy(7, { status: 500 }),
      copy(8, { status: null, outcome: 'unknown' }),
      copy(9, { status: null, outcome: 'not-sent' }),
      copy(10, { status: null, outcome: 'not-sent' }),
    ];
    expect(sentence(run(mixed))).toBe(
      '10 copies at once: 6 answered 204, 1 answered 500, 1 got no answer and may have taken effect and 2 were never sent.',
    );
  });

  it('that nobody took is told of all', () => {
    const none = [1, 2].map((n) => copy(n, { status: null, outcome: 'not-sent' }));
    expect(sentence(run(none))).toBe('2 copies at once, all never sent.');
  });

  it('says what our own listener counted', () => {
    expect(sentence(run(ten), claims('won', 'duplicate', 'duplicate'))).toMatch(
      / One won the claim and 2 were duplicates\.$/,
    );
    expect(sentence(run(ten), claims('won', 'won', 'duplicate'))).toMatch(/ The effect ran 2 times\.$/);
    expect(sentence(run(ten), claims('duplicate', 'duplicate'))).toMatch(/ All 2 were duplicates/);
    expect(sentence(run(ten), claims('none', 'none'))).toBe('10 copies at once, all answered 204.');
  });
});

it('says how far a run is, how it was stopped, and that it failed', () => {
  const copies = [copy(1), copy(2)];
  const going = { state: 'running', summary: null, copies_planned: 20 } as const;
  expect(sentence(run(copies, going))).toBe('Firing: 2 of 20 are back.');
  expect(sentence(run([], going))).toBe('Firing 20 copies …');
  const stopped = { ...summary(copies, 20), not_sent: 18, stopped: true };
  expect(sentence(run(copies, { state: 'stopped', copies_planned: 20, summary: stopped }))).toBe(
    'Stopped: 2 answered 204 and 18 were never sent.',
  );
  expect(sentence(run([], { state: 'failed', summary: null }))).toBe('Nothing could be fired.');
});
