/** A point in time, formatted in the browser's locale and time zone. */
import type { DateTime } from 'surrealdb';

export function Time({ at }: { readonly at: DateTime | Date }) {
  const date = at instanceof Date ? at : at.toDate();
  return <time dateTime={date.toISOString()}>{date.toLocaleString()}</time>;
}
