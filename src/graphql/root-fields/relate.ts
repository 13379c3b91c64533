/** `relateWrote(in, out, data)`: an edge between two records. */
import { GraphQLNonNull } from 'graphql';
import { Table } from '../../value/value.js';
import { SCALARS } from '../base/scalars.js';
import { readLink } from '../schema/record-names.js';
import type { TableType } from '../schema/table-type.js';
import type { RecordInput } from '../types/inputs.js';
import type { TableTypes } from '../types/table-types.js';
import type { RootConfig } from './root-config.js';
import { writeField } from './write.js';

export function relateField(type: TableType, { tables }: TableTypes, input: RecordInput): RootConfig {
  const { tableKind } = type.entry.definition;
  const { from = [], to = [] } = tableKind.kind === 'relation' ? tableKind : {};
  const end = new GraphQLNonNull(SCALARS.ID);
  return writeField(type, {
    description: 'Creates an edge that leads from one record to another.',
    args: {
      in: { type: end, description: 'Where it comes from.' },
      out: { type: end, description: 'Where it leads to.' },
      data: { type: input.isNeeded() ? new GraphQLNonNull(input.type) : input.type },
    },
    isList: false,
    shows: 'after',
    build: ({ given, params, writing, output }) => {
      const { id, data } = input.read(given['data'] ?? {}, writing);
      return {
        statement: {
          kind: 'relate',
          only: false,
          orUpdate: false,
          from: params.bind(readLink(tables, from, String(given['in']))),
          edge: params.bind(id ?? new Table(type.table)),
          to: params.bind(readLink(tables, to, String(given['out']))),
          data: { kind: 'content', value: params.bind(data) },
          output,
        },
        most: 1,
      };
    },
  });
}
