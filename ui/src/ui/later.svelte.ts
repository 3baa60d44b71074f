const all = new Set<Later<unknown>>();

/**
 * What opens over a page: loaded a moment after the page stands, or as soon as it is opened. The first picture of the
 * window does not wait for it. One for all components of a kind.
 */
export class Later<Part> {
  #part = $state.raw<Part>();
  #loading: Promise<void> | undefined;
  readonly #import: () => Promise<{ default: Part }>;

  constructor(load: () => Promise<{ default: Part }>) {
    this.#import = load;
    all.add(this);
  }

  /** The part; nothing until it is there. */
  get part(): Part | undefined {
    return this.#part;
  }

  /** Loads it, once. What fails is said by the promise, and tried again the next time. */
  load(): Promise<void> {
    this.#loading ??= this.#import().then(
      (loaded) => {
        this.#part = loaded.default;
      },
      (thrown: unknown) => {
        this.#loading = undefined;
        throw thrown;
      },
    );
    return this.#loading;
  }
}

/** Loads all that is still to come. What fails here is tried again, and told, when it is opened. */
export async function loadLater(): Promise<void> {
  await Promise.allSettled([...all].map((later) => later.load()));
}

/**
 * Such a part of one component, to be made while that is: nothing until it was opened once, since most never are and
 * each would be built with its page.
 */
export class Opened<Part> {
  #ever = $state(false);
  readonly #later: Later<Part>;

  constructor(later: Later<Part>, open: () => boolean, close: () => void) {
    this.#later = later;
    $effect.pre(() => {
      if (!open()) return;
      this.#ever = true;
      later.load().catch((thrown: unknown) => {
        // Opened once more it is loaded once more; the frame says what was in the way.
        close();
        throw thrown;
      });
    });
  }

  get part(): Part | undefined {
    return this.#ever ? this.#later.part : undefined;
  }
}
