/** What one page asks of another; the app carries it, since pages do not know each other. */
export type FireIntent = {
  /** The stored delivery that is fired. */
  seq: number;
  /** Fire it at once, as it is; else it is opened to be edited. */
  start: boolean;
};

/** A delivery that the Inbox is asked to show. */
export type ShowIntent = { seq: number };
