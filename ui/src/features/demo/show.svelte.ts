import type { DemoReport } from '$bindings/DemoReport';
import { HostError } from '$host/host';
import type { Session } from '$host/session.svelte';
import { WHOLE_MS } from './timeline';

/** The demonstration: run for real, then shown slowly, as often as wanted. */
export class Show {
  report = $state.raw<DemoReport>();
  error = $state.raw<HostError>();
  running = $state(false);
  /** Milliseconds of the showing that have been seen. */
  seen = $state(WHOLE_MS);
  readonly #session: Session;
  readonly #still: () => boolean;
  #frame = 0;

  /** `still` says that the system wants no motion: the end is shown at once. */
  constructor(session: Session, still: () => boolean) {
    this.#session = session;
    this.#still = still;
  }

  get playing(): boolean {
    return this.seen < WHOLE_MS;
  }

  async run(copies: number): Promise<void> {
    if (this.running) return;
    this.running = true;
    this.error = undefined;
    try {
      this.report = await this.#session.rpc('demo.run', { copies });
      this.play();
    } catch (thrown) {
      this.error = HostError.from(thrown);
    } finally {
      this.running = false;
    }
  }

  play(): void {
    this.stop();
    if (this.#still()) {
      this.seen = WHOLE_MS;
      return;
    }
    this.seen = 0;
    let last: number | undefined;
    const step = (now: number) => {
      // A window that was hidden goes on where it was.
      this.seen = Math.min(WHOLE_MS, this.seen + Math.min(100, now - (last ?? now)));
      last = now;
      if (this.playing) this.#frame = requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
  }

  /** Goes to the end. */
  skip(): void {
    this.stop();
    this.seen = WHOLE_MS;
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
  }
}
