/** `createPerson(data)` and `createManyPerson(data)`. */
import { GraphQLList, GraphQLNonNull } from 'graphql';
import { newObject, Table } from '../../value/value.js';
import type { TableType } from '../schema/table-type.js';
import type { RecordInput } from '../types/inputs.js';
import type { RootConfig } from './root-config.js';
import { writeField } from './write.js';

export function createField(type: TableType, input: RecordInput): RootConfig {
  return writeField(type, {
    description: 'Creates a record.',
    args: { data: { type: new GraphQLNonNull(input.type) } },
    isList: false,
    shows: 'after',
    build: ({ given, params, writing, output }) => {
      const { id = new Table(type.table), data } = input.read(given['data'], writing);
      return {
        statement: {
          kind: 'create',
          only: false,
          targets: [params.bind(id)],
          data: { kind: 'content', value: params.bind(data) },
          output,
        },
        most: 1,
      };
    },
  });
}

export function createManyField(type: TableType, input: RecordInput): RootConfig {
  return writeField(type, {
    description: 'Creates records, all of them or none.',
    args: { data: { type: manyOf(input) } },
    isList: true,
    shows: 'after',
    build: ({ given, params, writing, output }) => {
      const rows = (given['data'] as readonly unknown[]).map((each) => {
        const { id, data } = input.read(each, writing);
        const row = newObject();
        Object.assign(row, data);
        if (id !== undefined) row['id'] = id;
        return row;
      });
      return {
        statement: {
          kind: 'insert',
          relation: false,
          ignore: false,
          into: { kind: 'table', name: type.table },
          data: { kind: 'value', value: params.bind(rows) },
          output,
        },
        most: rows.length,
      };
    },
  });
}

/** `[CreatePersonInput!]!` */
export function manyOf({ type }: RecordInput) {
  return new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));
}
