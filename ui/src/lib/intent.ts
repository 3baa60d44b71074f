/** What one page asks of another; the app carries it, since pages do not know each other. */
export type FireIntent = {
  /** The stored delivery that is fired. */
  seq: number;
  /** Fire it at once, as it is; else it is opened to be edited. */
  start: boolean;
  /** So many copies, released together; one without it. */
  copies?: number;
};

/** A delivery that the Inbox is asked to show. */
export type ShowIntent = { seq: number };

/** A file that was dropped or chosen, and is to be fired or read as deliveries. */
export type FileIntent = { file: File };
