/** How large an element was when it was last seen: on a page that is hidden nothing has a size, and what it had stays. */
export class Size {
  #width = $state(0);

  /** `width` is what it has until it is measured, in pixels. */
  constructor(width = 0) {
    this.#width = width;
  }

  get width(): number {
    return this.#width;
  }

  set width(px: number) {
    if (px > 0) this.#width = px;
  }
}
