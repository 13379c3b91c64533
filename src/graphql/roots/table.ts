/** The fields of Query that read a table: `person(…)`, `personConnection(…)`, `person_aggregate(…)`. */
import { planOf } from '../execution/reading.js';
import type { ReadingField } from '../readings/reading-field.js';
import { fromRoot } from '../schema/field-source.js';
import { VERSION_ARGUMENT } from '../schema/list-arguments.js';
import type { RootConfig } from './root-config.js';

export function tableField(table: string, { type, args, compile }: ReadingField): RootConfig {
  return {
    type,
    args: { ...args, ...VERSION_ARGUMENT },
    extensions: fromRoot((field) => planOf(compile(field), table)),
  };
}
