import type { Listed } from './list-arguments.js';
import type { ObjectFields } from './object-fields.js';

/** A table in GraphQL. */
export interface TableType extends Listed {
  /** Its own fields, `id` among them; not those of edges. Asked for late, since tables refer to each other. */
  fields(): ObjectFields;
}
