/**
 * `deletePerson(id)` and `deleteManyPerson(filter)`: return the records as they were, as far as the caller may see
 * them.
 */
import type { TableType } from '../schema/table-type.js';
import { ID_ARGUMENT } from './record.js';
import type { RootConfig } from './root-config.js';
import { FILTER_DESCRIPTION, filteredTargets, namedTarget, targetArguments } from './targets.js';
import { writeField } from './write.js';

export function deleteField(type: TableType): RootConfig {
  return writeField(type, {
    description: 'Deletes a record, and gives it as it was. Gives null when there is none.',
    args: ID_ARGUMENT,
    isList: false,
    shows: 'before',
    build: ({ given, params, output }) => ({
      statement: { kind: 'delete', only: false, targets: [namedTarget(type, given, params)], output },
      most: 1,
    }),
  });
}

export function deleteManyField(type: TableType): RootConfig {
  return writeField(type, {
    description: `Deletes records, and gives them as they were. ${FILTER_DESCRIPTION}`,
    args: targetArguments(type),
    isList: true,
    shows: 'before',
    build: (context) => ({
      statement: { kind: 'delete', only: false, ...filteredTargets(type, context), output: context.output },
    }),
  });
}
