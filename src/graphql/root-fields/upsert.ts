/**
 * `upsertPerson(id, data)` and `upsertManyPerson(data)` set the given fields, of a record that is created unless it is
 * there. Fields that a new record needs are required; fields that aren't given stay unchanged.
 */
import { GraphQLNonNull } from 'graphql';
import { failure } from '../../errors/error.js';
import type { Upsert } from '../../language/ast.js';
import { equals } from '../../value/order.js';
import { newObject, type ObjectValue, type RecordId } from '../../value/value.js';
import { blockOf, forEach, member, NOTHING } from '../execution/nested-writes.js';
import { select, setting } from '../execution/select.js';
import { readOwnId } from '../schema/record-names.js';
import type { TableType } from '../schema/table-type.js';
import type { RecordInput } from '../types/inputs.js';
import { manyOf } from './create.js';
import { ID_ARGUMENT } from './record.js';
import type { RootConfig } from './root-config.js';
import { writeField } from './write.js';

export function upsertField(type: TableType, input: RecordInput): RootConfig {
  return writeField(type, {
    description: 'Sets the given fields of a record, which is created if it is not there.',
    args: { ...ID_ARGUMENT, data: { type: new GraphQLNonNull(input.type) } },
    isList: false,
    shows: 'after',
    build: ({ given, params, writing, output }) => {
      const id = readOwnId(type, String(given['id']));
      const { id: repeated, data } = input.read(given['data'], writing);
      if (repeated !== undefined && !equals(repeated, id)) {
        throw failure('graphql_argument', { reason: 'The id in the data is that of another record' });
      }
      return {
        statement: {
          kind: 'upsert',
          only: false,
          targets: [params.bind(id)],
          ...setting(Object.keys(data), (name) => params.bind(data[name])),
          output,
        },
        most: 1,
      };
    },
  });
}

export function upsertManyField(type: TableType, input: RecordInput): RootConfig {
  return writeField(type, {
    description:
      'Sets the given fields of the records with these ids, which are created if they are not there; all of them or none.',
    args: { data: { type: manyOf(input) } },
    isList: true,
    shows: 'after',
    build: ({ given, params, writing, output }) => {
      const ids: RecordId[] = [];
      const runs: Run[] = [];
      for (const each of given['data'] as readonly unknown[]) {
        const { id, data } = input.read(each, writing);
        if (id === undefined)
          throw failure('graphql_argument', { reason: 'Each record that is upserted needs its id' });
        ids.push(id);
        const row = newObject();
        row['id'] = id;
        row['data'] = data;
        addTo(runs, Object.keys(data), row);
      }
      return {
        statement: blockOf([
          ...runs.map(({ fields, rows }) => forEach('row', params.bind(rows), upsertRow(fields))),
          select(output.projections, params.bind(ids)),
        ]),
        most: ids.length,
      };
    },
  });
}

/** Rows that follow each other and have the same fields: they need only one statement. */
interface Run {
  readonly fields: readonly string[];
  readonly rows: ObjectValue[];
}

function addTo(runs: Run[], fields: readonly string[], row: ObjectValue): void {
  const last = runs.at(-1);
  const isSame = last?.fields.length === fields.length && last.fields.every((name, at) => name === fields[at]);
  if (isSame) last.rows.push(row);
  else runs.push({ fields, rows: [row] });
}

function upsertRow(fields: readonly string[]): Upsert {
  return {
    kind: 'upsert',
    only: false,
    targets: [member('row', 'id')],
    ...setting(fields, (name) => member('row', 'data', name)),
    output: NOTHING,
  };
}
