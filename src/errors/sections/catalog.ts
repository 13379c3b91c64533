/** Errors of definitions: duplicates, missing ones and invalid ones. */
import { type ErrorRow, row } from '../row.js';

/** A definition known by its name; `noun` as the texts call it, `kind` as the details do. */
const exists = (noun: string, kind: string): ErrorRow<{ name: string }> =>
  row({
    kind: 'AlreadyExists',
    text: ({ name }) => `The ${noun} '${name}' already exists`,
    details: ({ name }) => ({ kind, details: { name } }),
  });
const missing = (noun: string, kind: string): ErrorRow<{ name: string }> =>
  row({
    kind: 'NotFound',
    text: ({ name }) => `The ${noun} '${name}' does not exist`,
    details: ({ name }) => ({ kind, details: { name } }),
  });

/** A definition that stands at a level: root when `namespace` is missing, a namespace when `database` is. */
export interface AtLevel {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly database?: string | undefined;
}

function existenceText(noun: string, verb: string, { name, namespace, database }: AtLevel): string {
  if (namespace === undefined) return `The root ${noun} '${name}' ${verb}`;
  const level = database === undefined ? `namespace '${namespace}'` : `database '${database}'`;
  return `The ${noun} '${name}' ${verb} in the ${level}`;
}

const existsAtLevel = (noun: string, kind: string): ErrorRow<AtLevel> =>
  row({
    kind: 'AlreadyExists',
    text: (detail) => existenceText(noun, 'already exists', detail),
    details: ({ name }) => ({ kind, details: { name } }),
  });
const missingAtLevel = (noun: string, kind: string): ErrorRow<AtLevel> =>
  row({
    kind: 'NotFound',
    text: (detail) => existenceText(noun, 'does not exist', detail),
    details: ({ name }) => ({ kind, details: { name } }),
  });

export const catalogErrors = {
  namespace_exists: exists('namespace', 'Namespace'),
  namespace_missing: missing('namespace', 'Namespace'),
  database_exists: exists('database', 'Database'),
  database_missing: missing('database', 'Database'),
  table_exists: exists('table', 'Table'),
  table_missing: missing('table', 'Table'),
  field_exists: exists('field', 'Field'),
  field_missing: missing('field', 'Field'),
  index_exists: exists('index', 'Index'),
  index_missing: missing('index', 'Index'),
  event_exists: exists('event', 'Event'),
  event_missing: missing('event', 'Event'),
  /** The name with its `$`. */
  param_exists: exists('param', 'Param'),
  param_missing: missing('param', 'Param'),
  /** The name with its `fn::`. */
  function_exists: exists('function', 'Function'),
  /** As REMOVE reports it; a call of such a function fails with `function_not_defined`. */
  function_undefined: missing('function', 'Function'),
  analyzer_exists: exists('analyzer', 'Analyzer'),
  api_exists: exists('api', 'Api'),
  api_missing: row<{ name: string }>({
    kind: 'NotFound',
    text: ({ name }) => `The api '/${name}' does not exist`,
    details: ({ name }) => ({ kind: 'Api', details: { name } }),
  }),
  api_path: row<{ reason: string }>({
    kind: 'Validation',
    text: ({ reason }) => `The string could not be parsed into a path: ${reason}`,
  }),
  api_request: row<{ reason: string }>({ kind: 'Validation', text: ({ reason }) => reason }),
  /** Only logged; the response has status 500. */
  api_middleware: row<{ name: string }>({ kind: 'Internal', text: ({ name }) => `${name}() can't be middleware` }),
  api_limit: row<{ reason: string }>({
    kind: 'Validation',
    text: ({ reason }) => `Incorrect arguments for api::limit(): ${reason}`,
  }),
  api_body: row({ kind: 'Serialization', text: () => 'Failed to encode the response body' }),
  module_missing: missing('module', 'Module'),
  analyzer_missing: missing('analyzer', 'Analyzer'),
  sequence_exists: exists('sequence', 'Sequence'),
  sequence_missing: missing('sequence', 'Sequence'),
  sequence_batch: row<{ batch: string }>({
    kind: 'Validation',
    text: ({ batch }) =>
      `Invalid query: \`${batch}\` is not valid batch size for a sequence definition. A batch size must be within 0..=4294967295`,
  }),
  /** The next number exceeds 64 bits. */
  sequence_exhausted: row<{ name: string }>({
    kind: 'Validation',
    text: ({ name }) => `The sequence '${name}' has no number left`,
  }),
  user_exists: existsAtLevel('user', 'User'),
  user_missing: missingAtLevel('user', 'User'),
  access_exists: existsAtLevel('access method', 'Access'),
  access_missing: missingAtLevel('access method', 'Access'),
  grant_missing: row<Omit<AtLevel, 'name'> & { id: string; access: string }>({
    kind: 'NotFound',
    text: ({ id, access, namespace, database }) => {
      if (namespace === undefined) return `The root access grant '${id}' does not exist for '${access}'`;
      const level = database === undefined ? `namespace '${namespace}'` : `database '${database}'`;
      return `The access grant '${id}' does not exist for '${access}' in the ${level}`;
    },
    details: ({ id }) => ({ kind: 'Grant', details: { name: id } }),
  }),
  grant_subject_invalid: row({ kind: 'Validation', text: () => 'This access grant has an invalid subject' }),
  config_exists: row<{ name: string }>({
    kind: 'AlreadyExists',
    text: ({ name }) => `The config for ${name} already exists`,
    details: ({ name }) => ({ kind: 'Config', details: { name } }),
  }),
  config_missing: row<{ name: string }>({
    kind: 'NotFound',
    text: ({ name }) => `The config for ${name} does not exist`,
    details: ({ name }) => ({ kind: 'Config', details: { name } }),
  }),

  /** A name given by a param isn't a string; `what` is `table name`, `index name` and so on. */
  name_not_string: row<{ what: string; value: string }>({
    kind: 'Internal',
    text: ({ what, value }) => `Expected \`${what}\` but found \`${value}\``,
  }),

  // Tables.
  view_depends: row<{ table: string; views: readonly string[] }>({
    kind: 'Validation',
    text: ({ table, views }) =>
      `Invalid query: Cannot delete table \`${table}\` on which a view is defined, table(s) ${views
        .map((view) => `\`${view}\``)
        .join(', ')} are defined as a view on this table.`,
  }),
  view_cycle: row<{ table: string }>({
    kind: 'Validation',
    text: ({ table }) => `Invalid query: Cannot define table \`${table}\` as a view that reads itself`,
  }),
  view_value: row<{ grouped: boolean }>({
    kind: 'Validation',
    text: ({ grouped }) =>
      grouped
        ? 'Invalid aggregation: the selector `VALUE` clause is not supported on DEFINE TABLE .. AS SELECT .. GROUP .. aggregates'
        : 'Invalid query: the selector `VALUE` clause is not supported on DEFINE TABLE .. AS SELECT, whose rows are records',
  }),
  view_all_fields: row({
    kind: 'Validation',
    text: () =>
      'Incorrect selector for aggregate selection, expression `*` within in selector cannot be aggregated in a group.',
  }),
  view_field: row<{ path: string }>({
    kind: 'Validation',
    text: ({ path }) =>
      `Invalid query: Found idiom \`${path}\` within the selector of a materialized aggregate view.\nSelection of document fields which are not used within the argument of an optimized aggregate function is currently not supported`,
  }),
  view_document: row<{ param: string }>({
    kind: 'Validation',
    text: ({ param }) =>
      `Invalid query: Found a \`$${param}\` parameter refering to the document of a group by select statement\nSelect statements with a group by currently have no defined document to refer to`,
  }),

  // Indexes.

  // Fields. Paths and types come in canonical text.
  flexible_schemaless: row({
    kind: 'Thrown',
    text: () => 'An error occurred: FLEXIBLE can only be used in SCHEMAFULL tables',
  }),
  relation_end_type: row<{ field: string }>({
    kind: 'Thrown',
    text: ({ field }) => `An error occurred: ${field} field on a relation must be a record`,
  }),
  field_type_mismatch: row<{ field: string; type: string; parent: string; parentType: string }>({
    kind: 'Validation',
    text: ({ field, type, parent, parentType }) =>
      `Cannot set field \`${field}\` with type \`${type}\` as it mismatched with field \`${parent}\` with type \`${parentType}\``,
  }),
  computed_nested: row<{ field: string }>({
    kind: 'Validation',
    text: ({ field }) => `Cannot define field \`${field}\` as \`COMPUTED\` fields must be top-level.`,
  }),
  computed_cycle: row<{ fields: readonly string[] }>({
    kind: 'Validation',
    text: ({ fields }) => `Cyclic dependency detected among computed fields: ${fields.join(' -> ')}`,
  }),
  computed_keyword: row<{ keyword: string }>({
    kind: 'Validation',
    text: ({ keyword }) => `Cannot use the \`${keyword}\` keyword with \`COMPUTED\`.`,
  }),
  computed_parent: row<{ field: string; parent: string }>({
    kind: 'Validation',
    text: ({ field, parent }) =>
      `Cannot define nested field \`${field}\` as parent field \`${parent}\` is a \`COMPUTED\` field.`,
  }),
  computed_over_nested: row<{ field: string; nested: string }>({
    kind: 'Validation',
    text: ({ field, nested }) =>
      `Cannot define field \`${field}\` as \`COMPUTED\` since a nested field \`${nested}\` already exists.`,
  }),
  credential_element: row<{ field: string }>({
    kind: 'Validation',
    text: ({ field }) => `Cannot use CREDENTIAL on \`${field}\`: it is for fields by their names, not for elements.`,
  }),
  id_keyword: row<{ keyword: string }>({
    kind: 'Validation',
    text: ({ keyword }) => `Cannot use the \`${keyword}\` keyword on the \`id\` field.`,
  }),
  id_type: row<{ type: string }>({
    kind: 'Validation',
    text: ({ type }) => `Cannot use the \`${type}\` type on the \`id\` field, as that's not a valid record id key.`,
  }),
  index_building: row<{ index: string }>({
    kind: 'Validation',
    text: ({ index }) => `Database index \`${index}\` is currently building`,
    retryable: true,
  }),
  /** After ALTER INDEX … PREPARE REMOVE. */
  index_withdrawn: row({
    kind: 'Validation',
    text: () => 'Index building has been cancelled: Prepare remove.',
  }),
  /** The expected type among the FIELDS of an index. */
  index_column: row<{ expected: string }>({
    kind: 'Validation',
    text: ({ expected }) => `Expected ${expected}`,
  }),
  index_computed: row<{ index: string; field: string }>({
    kind: 'Validation',
    text: ({ index, field }) => `Computed fields cannot be indexed. Index: '${index}' - Field: '${field}'`,
  }),
  reference_nested: row<{ field: string }>({
    kind: 'Validation',
    text: ({ field }) =>
      `Cannot use the \`REFERENCE\` keyword on nested field \`${field}\`. Specify a referencing field at the root level instead.`,
  }),
  reference_type: row<{ type: string }>({
    kind: 'Validation',
    text: ({ type }) =>
      `Cannot use the \`REFERENCE\` keyword with \`TYPE ${type}\`. Specify only a \`record\` type, or a type containing only records, instead.`,
  }),
  field_path: row<{ path: string }>({
    kind: 'Validation',
    text: ({ path }) => `Cannot define a field at the path \`${path}\`: only names, \`*\` and indexes can be in it`,
  }),
} as const;
