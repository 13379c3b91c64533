/** The fields of Query that read a table: `person(…)`, `personConnection(…)`, `person_aggregate(…)`. */

import type { CollectionField } from '../collection-fields/collection-field.js';
import { planOf } from '../execution/collection-query.js';
import { fromRoot } from '../execution/field-source.js';
import { VERSION_ARGUMENT } from '../schema/list-arguments.js';
import type { RootConfig } from './root-config.js';

/** The root field of a collection of a table. */
export function tableField(table: string, { type, args, compile }: CollectionField): RootConfig {
  return {
    type,
    args: { ...args, ...VERSION_ARGUMENT },
    extensions: fromRoot((field) => planOf(compile(field), table)),
  };
}
