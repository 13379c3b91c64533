/**
 * `updatePerson(id, data)` sets the given fields, so that an object among them is replaced; `mergePerson(id, data)`
 * goes into objects and sets what is given of them. `updateManyPerson` and `mergeManyPerson` do the same to all records
 * that a filter lets through.
 */
import { GraphQLNonNull } from 'graphql';
import type { Update } from '../../language/ast.js';
import type { ObjectValue } from '../../value/value.js';
import type { Params } from '../execution/conditions.js';
import { setting } from '../execution/select.js';
import type { TableType } from '../schema/table-type.js';
import type { RecordInput } from '../types/inputs.js';
import { ID_ARGUMENT } from './record.js';
import type { RootConfig } from './root-config.js';
import { FILTER_DESCRIPTION, filteredTargets, namedTarget, targetArguments } from './targets.js';
import { writeField } from './write.js';

/** The clause that changes a record by data; none without data. */
type Change = (data: ObjectValue, params: Params) => Pick<Update, 'data'>;

export const CHANGES = {
  update: {
    change: (data, params) => setting(Object.keys(data), (name) => params.bind(data[name])),
    verb: 'Sets the given fields',
  },
  merge: {
    change: (data, params) => ({ data: { kind: 'merge', value: params.bind(data) } }),
    verb: 'Sets the given fields, and within objects what is given of them,',
  },
} as const satisfies Record<string, { readonly change: Change; readonly verb: string }>;

export type ChangeKind = keyof typeof CHANGES;

export function updateField(type: TableType, input: RecordInput, kind: ChangeKind): RootConfig {
  const { change, verb } = CHANGES[kind];
  return writeField(type, {
    description: `${verb} of a record. Gives null when there is none.`,
    args: { ...ID_ARGUMENT, data: { type: new GraphQLNonNull(input.type) } },
    isList: false,
    shows: 'after',
    build: ({ given, params, writing, output }) => ({
      statement: {
        kind: 'update',
        only: false,
        targets: [namedTarget(type, given, params)],
        ...change(input.read(given['data'], writing).data, params),
        output,
      },
      most: 1,
      mayMiss: true,
    }),
  });
}

export function updateManyField(type: TableType, input: RecordInput, kind: ChangeKind): RootConfig {
  const { change, verb } = CHANGES[kind];
  return writeField(type, {
    description: `${verb} of records. ${FILTER_DESCRIPTION}`,
    args: { ...targetArguments(type), data: { type: new GraphQLNonNull(input.type) } },
    isList: true,
    shows: 'after',
    build: (context) => ({
      statement: {
        kind: 'update',
        only: false,
        ...filteredTargets(type, context),
        ...change(input.read(context.given['data'], context.writing).data, context.params),
        output: context.output,
      },
      mayMiss: true,
    }),
  });
}
