/** A point in time, in the way of the reader's place. */
import type { DateTime } from 'surrealdb';

export function Time({ at }: { readonly at: DateTime }) {
  const date = at.toDate();
  return <time dateTime={date.toISOString()}>{date.toLocaleString()}</time>;
}
