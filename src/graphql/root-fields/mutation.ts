/** The fields of Mutation. */
import type { GraphQLFieldConfigMap } from 'graphql';
import type { FunctionDefinition } from '../../catalog/definitions/definition.js';
import { Names } from '../schema/names.js';
import type { TableType } from '../schema/table-type.js';
import { capitalized, type Inputs, isCreatable } from '../types/inputs.js';
import type { TableTypes } from '../types/table-types.js';
import { createField, createManyField } from './create.js';
import { deleteField, deleteManyField } from './delete.js';
import { functionFields } from './function.js';
import { ofTable } from './query.js';
import { relateField } from './relate.js';
import type { RootConfig } from './root-config.js';
import { SESSION_FIELDS } from './sign-in.js';
import { updateField, updateManyField } from './update.js';
import { upsertField, upsertManyField } from './upsert.js';

/** `functions` are those that may write. */
export function mutationFields(
  types: TableTypes,
  inputs: Inputs,
  functions: readonly FunctionDefinition[],
): GraphQLFieldConfigMap<unknown, unknown> {
  const names = new Names(Object.keys(SESSION_FIELDS));
  const fields: GraphQLFieldConfigMap<unknown, unknown> = { ...SESSION_FIELDS };
  for (const type of types.tables.values()) {
    const name = capitalized(type.object.name);
    for (const [verb, config] of tableFields(type, types, inputs))
      fields[names.claim(`${verb}${name}`)] = ofTable(type, config);
  }
  return { ...fields, ...functionFields(functions, types, inputs, names) };
}

/** By the prefix of the table's name. A view is written only through its sources. */
function* tableFields(type: TableType, types: TableTypes, inputs: Inputs): Iterable<readonly [string, RootConfig]> {
  if (type.entry.definition.view !== undefined) return;
  const create = inputs.of(type, 'create');
  if (isCreatable(type)) {
    yield ['create', createField(type, create)];
    yield ['createMany', createManyField(type, create)];
    const upsert = inputs.of(type, 'upsert');
    yield ['upsert', upsertField(type, upsert)];
    yield ['upsertMany', upsertManyField(type, upsert)];
  } else yield ['relate', relateField(type, types, create)];
  const update = inputs.ofUpdate(type);
  if (update !== undefined) {
    for (const kind of ['update', 'merge'] as const) {
      yield [kind, updateField(type, update, kind)];
      yield [`${kind}Many`, updateManyField(type, update, kind)];
    }
  }
  yield ['delete', deleteField(type)];
  yield ['deleteMany', deleteManyField(type)];
}
