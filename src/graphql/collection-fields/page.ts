/**
 * Which of the rows that were read are on a page, and whether there are more (Relay, §4.4 Pagination algorithm, §5.1
 * PageInfo).
 */

export interface PageSize {
  readonly first: number | undefined;
  readonly last: number | undefined;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** `undefined` if the rows don't determine it. */
  readonly hasMoreBefore: boolean | undefined;
  readonly hasMoreAfter: boolean | undefined;
}

/**
 * How many rows decide about the page; one more has to be read to know whether there are more. All where nothing limits
 * them.
 */
export function sizeOf({ first, last }: PageSize): number | undefined {
  return first === undefined && last === undefined ? undefined : Math.max(first ?? 0, last ?? 0);
}

/** `read` are the first rows of the order, or where only `last` is given those of the opposite order. */
export function pageOf<Row>(read: readonly Row[], { first, last }: PageSize): Page<Row> {
  const inOrder = first === undefined && last !== undefined ? read.toReversed() : read;
  const fromStart = first === undefined ? inOrder : inOrder.slice(0, first);
  return {
    rows: last === undefined ? fromStart : fromStart.slice(Math.max(0, fromStart.length - last)),
    hasMoreBefore: last === undefined ? undefined : read.length > last,
    hasMoreAfter: first === undefined ? undefined : read.length > first,
  };
}
