/** What {@link coalesce} returns. */
export type Coalesced = {
  /** Asks for a run: at once when none was lately, else one run later for all that asked meanwhile. */
  (): void;
  /** Forgets what was asked for and runs no more. */
  stop(): void;
};

/**
 * Runs `work` for any number of requests: the first at once, the rest folded into one run that begins no sooner than
 * `interval` ms after the last one began, and never before that one has ended. The last request is always served.
 */
export function coalesce(interval: number, work: () => Promise<unknown>): Coalesced {
  let wanted = false;
  let running = false;
  let stopped = false;
  let last = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const run = async () => {
    timer = undefined;
    wanted = false;
    running = true;
    last = performance.now();
    try {
      await work();
    } finally {
      running = false;
      if (wanted) plan();
    }
  };

  const plan = () => {
    if (stopped || running || timer !== undefined) return;
    const wait = last + interval - performance.now();
    if (wait <= 0) void run();
    else timer = setTimeout(() => void run(), wait);
  };

  const ask = () => {
    wanted = true;
    plan();
  };
  ask.stop = () => {
    stopped = true;
    clearTimeout(timer);
  };
  return ask;
}
