import { tick, untrack } from 'svelte';
import type { Deliveries } from './deliveries.svelte';

/** What keys and commands take hold of: parts that are there once they were opened. */
type Parts = {
  rows: () => { reveal: (index: number) => void } | undefined;
  filter: () => { focus: () => void } | undefined;
  /** The detail or the comparison. */
  pane: () => { focus: () => void } | undefined;
  /** Whether one of them is open, or will be. */
  opening: () => boolean;
  /** Follows again, from the top. */
  follow: () => void;
  /** Ends what is open: the choice of another to compare with, the comparison. False where nothing is. */
  leave: () => boolean;
};

/** What keys and commands do to the Inbox, where it waits for rows or parts that are not loaded yet. */
export class Hands {
  readonly follow: () => void;
  readonly leave: () => boolean;
  /** A row to be selected once it is loaded. */
  #wanted = $state<number>();
  /** What is opened gets the focus, once it is there. */
  #entering = $state(false);
  /** The rows in which the selected one was missing when its menu was asked for: it may have been scrolled away. */
  #menuAfter = $state.raw<Deliveries['rows']>();
  readonly #list: Deliveries;
  readonly #parts: Parts;

  /** To be made while a component is. */
  constructor(list: Deliveries, parts: Parts) {
    this.#list = list;
    this.#parts = parts;
    this.follow = parts.follow;
    this.leave = parts.leave;
    $effect(() => {
      const row = this.#wanted === undefined ? undefined : list.rows.get(this.#wanted);
      if (row) untrack(() => list.select(row));
      if (row) this.#wanted = undefined;
    });
    $effect(() => {
      const pane = parts.pane();
      if (!this.#entering) return;
      if (pane) pane.focus();
      else if (parts.opening() || this.#wanted !== undefined) return;
      this.#entering = false;
    });
    $effect(() => {
      if (!this.#menuAfter || this.#menuAfter === list.rows) return;
      this.#menuAfter = undefined;
      untrack(() => this.#openMenuSoon());
    });
  }

  /** Selects a row and brings it into sight. */
  moveTo(index: number): void {
    this.#wanted = this.#reveal(index) ? undefined : index;
  }

  focusFilter(): void {
    this.#parts.filter()?.focus();
  }

  openDetail(): void {
    this.#entering = true;
  }

  /** Opens the context menu of the selected row. */
  openMenu(): void {
    const { rows } = this.#list;
    if (this.#reveal(this.#list.index)) this.#openMenuSoon();
    else this.#menuAfter = rows;
  }

  /** Brings a row into sight; false where it has to be loaded first. */
  #reveal(index: number): boolean {
    const list = this.#list;
    this.#parts.rows()?.reveal(index);
    if (index >= list.length || list.rows.has(index)) return true;
    list.see(index, index + 1);
    return false;
  }

  /** As a right click in the row would, once it is drawn. */
  #openMenuSoon(): void {
    const seq = this.#list.selected?.seq;
    if (seq === undefined) return;
    void tick().then(() => {
      const row = document.getElementById(`delivery-${seq}`);
      if (!row) return;
      const { left, bottom } = row.getBoundingClientRect();
      const at = { clientX: left + 32, clientY: bottom - 4 };
      row.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, ...at }));
    });
  }
}
