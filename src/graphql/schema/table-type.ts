import type { Listed } from './list-arguments.js';
import type { ObjectFields } from './object-fields.js';

/** A table in GraphQL. */
export interface TableType extends Listed {
  /** What it is to be called in GraphQL, if not as in the database. */
  readonly alias: string | undefined;
  /** Why it shouldn't be used any more. */
  readonly deprecated: string | undefined;
  /** Its own fields, `id` among them; not those of edges. Asked for late, since tables refer to each other. */
  fields(): ObjectFields;
}
