import type { Params } from '$host/host';

/** Rows are asked for in steps of so many, with as many to spare on both sides of what is seen. */
export const STEP = 50;

/** The rows that are drawn, from the first up to the last. */
export type Range = { first: number; last: number };
export type Question = Params<'deliveries.list'>;

/** What is seen first, whatever the window's height. */
export const TOP: Range = { first: 0, last: STEP };

/** Asks for the rows around some of them. */
export function question(
  filter: string,
  { first, last }: Range,
  before: number | null,
  quick: boolean,
): Question {
  const offset = Math.max(0, Math.floor(first / STEP) - 1) * STEP;
  const limit = (Math.ceil(last / STEP) + 1) * STEP - offset;
  return { filter, limit, before, offset, quick };
}
