import type { CopyReport } from '$bindings/CopyReport';
import type { DemoSide } from '$bindings/DemoSide';
import { expect, it } from 'vitest';
import { LEAD_MS, SHOWN_MS, WHOLE_MS, frameAt, slowed, timeline } from './timeline';

function copy(n: number, over: Partial<CopyReport> = {}): CopyReport {
  return {
    n,
    local_port: 40_000 + n,
    connected_ms: -2,
    written_ms: -1,
    released_us: (n - 1) * 100,
    first_byte_ms: 10,
    total_ms: 11,
    status: 204,
    outcome: 'answered',
    error: null,
    warnings: [],
    location: null,
    response_body: '',
    ...over,
  };
}

function side(copies: CopyReport[], ran: boolean[]): DemoSide {
  const effects = ran.filter(Boolean).length;
  return { responder: 'naive', effects, copies, release_spread_us: 100, peak_in_flight: 2, ran_effect: ran };
}

const line = timeline(side([copy(1), copy(2, { first_byte_ms: 20 })], [true, false]));

it('stretches the measured times to the whole showing', () => {
  expect(line.end).toBeCloseTo(20.1);
  expect(line.stretch).toBeCloseTo(SHOWN_MS / 20.1);
  expect(slowed(line.stretch)).toBe('220');
});

it('holds every copy until its own release', () => {
  expect(frameAt(line, LEAD_MS - 1).dots.map((dot) => dot.state)).toEqual(['waiting', 'waiting']);
  const between = LEAD_MS + 0.05 * line.stretch;
  expect(frameAt(line, between).dots.map((dot) => dot.state)).toEqual(['flying', 'waiting']);
});

it('counts an effect when its copy is answered, and no sooner', () => {
  expect(frameAt(line, LEAD_MS + 9.9 * line.stretch)).toMatchObject({ effects: 0, answered: 0 });
  const half = frameAt(line, LEAD_MS + 10.1 * line.stretch);
  expect(half).toMatchObject({ effects: 1, answered: 1 });
  expect(half.dots[0]).toEqual({ n: 1, at: 1, state: 'ran' });
  expect(half.dots[1]?.at).toBeCloseTo(0.5);
});

it('ends with every copy where it came to', () => {
  const end = frameAt(line, WHOLE_MS);
  expect(end).toMatchObject({ effects: 1, answered: 2 });
  expect(end.dots.map((dot) => dot.state)).toEqual(['ran', 'acknowledged']);
});

it('shows a copy without an answer as lost, never as answered', () => {
  const lost = timeline(
    side(
      [copy(1), copy(2, { outcome: 'unknown', status: null, first_byte_ms: null, total_ms: 10_000 })],
      [true, false],
    ),
  );
  expect(frameAt(lost, WHOLE_MS).dots[1]?.state).toBe('lost');
  expect(frameAt(lost, WHOLE_MS).answered).toBe(1);
});

it('stands when nothing was measured', () => {
  const nothing = timeline(side([], []));
  expect(frameAt(nothing, WHOLE_MS)).toEqual({ dots: [], effects: 0, answered: 0 });
  expect(Number.isFinite(nothing.stretch)).toBe(true);
});
