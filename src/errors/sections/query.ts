/** Errors of planning and executing statements. Values and ids come in canonical text. */
import { row } from '../row.js';

const SECOND = 1_000_000_000n;

const internal = <D = void>(text: (detail: D) => string) => row<D>({ kind: 'Internal', text });

/** An internal error that is about a field of a record. */
const ofField = <D extends { readonly field: string }>(text: (detail: D) => string) =>
  row<D>({ kind: 'Internal', text, fields: ({ field }) => [field] });

export const queryErrors = {
  thrown: row<{ text: string }>({
    kind: 'Thrown',
    text: ({ text }) => `An error occurred: ${text}`,
    rpc: -32006,
  }),
  let_failed: row<{ text: string }>({ kind: 'Thrown', text: ({ text }) => `An error occurred: ${text}` }),
  namespace_empty: row({
    kind: 'Validation',
    text: () => 'Specify a namespace to use',
    details: () => ({ kind: 'NamespaceEmpty' }),
    rpc: -32600,
  }),
  database_empty: row({
    kind: 'Validation',
    text: () => 'Specify a database to use',
    details: () => ({ kind: 'DatabaseEmpty' }),
    rpc: -32600,
  }),

  /** With strict permissions only. */
  write_refused: row<{ action: 'create' | 'update' | 'delete'; table: string; field?: string }>({
    kind: 'NotAllowed',
    text: ({ action, table, field }) =>
      field === undefined
        ? `Not allowed to ${action} the record: PERMISSIONS FOR ${action} of the table '${table}' refuse it`
        : `Not allowed to write the field '${field}': its PERMISSIONS FOR ${action} in the table '${table}' refuse it`,
    details: (detail) => ({ kind: 'Permissions', details: { ...detail } }),
    http: 403,
  }),
  place_forbidden: row<{ level: 'namespace' | 'database'; name: string }>({
    kind: 'NotAllowed',
    text: ({ level, name }) => `You don't have permission to change to the ${name} ${level}`,
    rpc: -32002,
    http: 403,
  }),
  aggregate_nested: internal(() => 'Invalid query: Nested aggregate functions are not supported'),
  group_all_fields: internal(
    () =>
      'Invalid query: Incorrect selector for aggregate selection, expression `*` within in selector cannot be aggregated in a group.',
  ),
  versionstamp_out_of_range: internal<{ moment: string }>(
    ({ moment }) => `Invalid query: Invalid versionstamp \`${moment}\`, outside of range for kv-store timestamps`,
  ),

  // ─── Live queries ───
  live_query_missing: internal<{ id: string }>(({ id }) => `Cannot execute KILL statement using id: ${id}`),
  realtime_unavailable: internal(() => 'Unable to perform the realtime query'),
  live_queries_unavailable: row({
    kind: 'Configuration',
    text: () => 'Live Query was made, but is not supported',
    details: () => ({ kind: 'LiveQueryNotSupported' }),
    rpc: -32604,
  }),
  live_queries_too_large: row<{ limit: number }>({
    kind: 'NotAllowed',
    text: ({ limit }) => `The live queries of a connection and their parameters may take no more than ${limit} bytes`,
  }),
  too_many_live_queries: row<{ limit: number; of: 'connection' | 'user' }>({
    kind: 'NotAllowed',
    text: ({ limit, of }) => `A ${of} may have no more than ${limit} live queries`,
  }),
  changefeed_required: row<{ table: string }>({
    kind: 'Validation',
    text: ({ table }) =>
      `LIVE SELECT … SINCE needs a table with CHANGEFEED … INCLUDE ORIGINAL, which '${table}' doesn't have`,
  }),
  changefeed_too_short: row<{ table: string }>({
    kind: 'NotFound',
    text: ({ table }) => `The changefeed of the table '${table}' doesn't reach back so far: read the table again`,
  }),
  live_result_statement: row<{ statement: string }>({
    kind: 'Validation',
    text: ({ statement }) => `LIVE QUERY takes a SELECT or an expression that only reads, without ${statement} in it`,
  }),
  live_result_period: row<{ least: string }>({
    kind: 'Validation',
    text: ({ least }) => `LIVE QUERY … EVERY takes a duration of at least ${least}`,
  }),
  // Why live queries end, or don't begin.
  live_result_of_time: row({
    kind: 'Validation',
    text: () => 'The result depends on the time: LIVE QUERY … EVERY 1s, say, evaluates it that often',
  }),
  live_result_unsteady: row<{ what: string }>({
    kind: 'Validation',
    text: ({ what }) => `There is no ${what} in a LIVE QUERY, whose result is made of what is stored alone`,
  }),
  live_result_too_large: row<{ limit: number }>({
    kind: 'NotAllowed',
    text: ({ limit }) => `The result of a LIVE QUERY may take no more than ${limit} bytes`,
  }),
  live_queries_full: row({
    kind: 'NotAllowed',
    text: () => 'The connection has as many live queries as it may have, or they take up too much',
  }),
  live_queries_behind: row({
    kind: 'Connection',
    text: () => 'The client has fallen too far behind: its live queries have ended, since it would miss changes',
  }),
  live_queries_abandoned: row({
    kind: 'NotAllowed',
    text: () => 'The user who began the live query is no longer signed in',
  }),

  // ─── Records ───
  record_changed_within: internal<{ id: string }>(
    ({ id }) => `Cannot write \`${id}\`: what its fields evaluate has changed it meanwhile`,
  ),
  record_exists: row<{ id: string }>({
    kind: 'AlreadyExists',
    fields: () => ['id'],
    text: ({ id }) => `Database record \`${id}\` already exists`,
    details: ({ id }) => ({ kind: 'Record', details: { id } }),
    http: 409,
  }),
  record_missing: row<{ id: string }>({
    kind: 'NotFound',
    text: ({ id }) => `The record '${id}' does not exist`,
    details: ({ id }) => ({ kind: 'Record', details: { id } }),
  }),
  /** The reference engine's text for stores without history. */
  versions_not_kept: internal(() => 'The underlying datastore does not support versioned queries'),
  id_mismatch: internal<{ id: string }>(
    ({ id }) => `Found ${id} for the \`id\` field, but a specific record has been specified`,
  ),
  edge_end_mismatch: internal<{ end: string; value: string }>(
    ({ end, value }) => `Found ${value} for the \`${end}\` field, which does not match the existing field value`,
  ),
  invalid_record_key: internal<{ value: string }>(
    ({ value }) => `Found ${value} for the Record ID but this is not a valid id`,
  ),
  /** `held` is omitted if the record that holds the values isn't visible. */
  index_violation: row<{ index: string; fields: readonly string[]; held?: { value: string; id: string } }>({
    kind: 'AlreadyExists',
    fields: ({ fields }) => fields,
    text: ({ index, held }) =>
      `Database index \`${index}\` already contains ${held === undefined ? 'these values' : `${held.value}, with record \`${held.id}\``}`,
    details: ({ held }) => held && { kind: 'Record', details: { id: held.id } },
    http: 409,
  }),
  record_kind: internal<{ id: string; isEdge: boolean; expected: string }>(
    ({ id, isEdge, expected }) =>
      `Found record: \`${id}\` which is ${isEdge ? '' : 'not '}a relation, but expected a ${expected}`,
  ),
  event_failed: internal<{ event: string; reason: string }>(
    ({ event, reason }) => `Error while processing event ${event}: ${reason}`,
  ),
  /** Without `by`, the referring record isn't visible. */
  record_referenced: row<{ id: string; by?: string }>({
    kind: 'Internal',
    text: ({ id, by }) =>
      `Cannot delete \`${id}\` as it is referenced by ${by === undefined ? 'another record' : `\`${by}\``} with an ON DELETE REJECT clause`,
    http: 409,
  }),
  references_failed: internal<{ id: string; reason: string }>(
    ({ id, reason }) => `An error occured while updating references for \`${id}\`: ${reason}`,
  ),
  reference_range: internal(() => 'Cannot scan a specific range of record references without a referencing field'),
  /** For the log. */
  event_lost: internal<{ event: string; table: string; reason: string }>(
    ({ event, table, reason }) => `The asynchronous event ${event} of the table ${table} isn't run: ${reason}`,
  ),
  no_failed_event: row<{ id: string }>({
    kind: 'NotFound',
    text: ({ id }) => `There is no event ${id} that failed`,
  }),
  event_not_kept: internal<{ id: number }>(
    ({ id }) => `The event ${id} can't be run again: its records were too large to be kept`,
  ),
  /** Replaces an error whose text might quote hidden data. */
  stored_code_failed: internal<{ what: string }>(({ what }) => `An error occurred in the ${what}`),
  read_only: internal(() => "There was a problem with the key-value store: Couldn't write to a read only transaction"),

  // ─── Fields ───
  /** `remedy`: the statement that lets the elements of an array have any fields, where one of them has it. */
  undeclared_field: internal<{ field: string; table: string; remedy?: string | undefined }>(
    ({ field, table, remedy }) =>
      `Found field '${field}', but no such field exists for table '${table}'` +
      (remedy === undefined ? '' : `; to allow any, ${remedy}`),
  ),
  field_coercion: ofField<{ field: string; id: string; reason: string }>(
    ({ field, id, reason }) => `Couldn't coerce value for field \`${field}\` of \`${id}\`: ${reason}`,
  ),
  computed_coercion: internal<{ field: string }>(({ field }) => `Failed to coerce computed field '${field}'`),
  field_assert: ofField<{ field: string; id: string; value: string; condition: string }>(
    ({ field, id, value, condition }) =>
      `Found ${value} for field \`${field}\`, with record \`${id}\`, but field must conform to: ${condition}`,
  ),
  field_readonly: internal<{ field: string; id: string }>(
    ({ field, id }) => `Found changed value for field \`${field}\`, with record \`${id}\`, but field is readonly`,
  ),

  // ─── Clauses ───
  invalid_target: internal<{ statement: string; value: string }>(
    ({ statement, value }) => `Cannot execute ${statement} statement using value: ${value}`,
  ),
  insert_property: internal<{ property: string; value: string }>(
    ({ property, value }) => `Cannot execute INSERT statement where property '${property}' is: ${value}`,
  ),
  invalid_edge_end: internal<{ property: string; value: string }>(
    ({ property, value }) => `Cannot execute RELATE statement where property '${property}' is: ${value}`,
  ),
  invalid_content: row<{ value: string }>({
    kind: 'Validation',
    text: ({ value }) => `Cannot use ${value} in a CONTENT clause`,
    details: ({ value }) => ({ kind: 'InvalidContent', details: { value } }),
    rpc: -32600,
  }),
  invalid_merge: row<{ value: string }>({
    kind: 'Validation',
    text: ({ value }) => `Cannot use ${value} in a MERGE clause`,
    details: ({ value }) => ({ kind: 'InvalidMerge', details: { value } }),
    rpc: -32600,
  }),
  only_one: internal(() => 'Expected a single result output when using the ONLY keyword'),
  /**
   * `clause`: the name in the reference engine, which depends on where it is evaluated: LIMIT alone if the rows are
   * sorted.
   */
  invalid_count: internal<{ clause: 'LIMIT/START' | 'LIMIT' | 'START'; value: string; isInteger: boolean }>(
    ({ clause, value, isInteger }) => {
      if (clause !== 'LIMIT/START') {
        const expected = isInteger ? 'non-negative integer' : 'integer';
        return `${clause} must be a non-negative integer: expected ${expected}, got ${value}`;
      }
      return `LIMIT/START must be ${isInteger ? 'a non-negative integer' : 'an integer'}, got ${value}`;
    },
  ),
  fetch_path: internal<{ value: string }>(
    ({ value }) => `Found ${value} on FETCH CLAUSE, but FETCH expects an idiom, a string or fields`,
  ),
  invalid_path: internal<{ value: string }>(({ value }) => `Expected the name of a field but found ${value}`),
  invalid_timeout: internal(() => 'Invalid timeout value'),

  // ─── Running ───
  computation_too_deep: internal(
    () => 'Reached excessive computation depth due to functions, subqueries, or computed values',
  ),
  /** The duration as text, and in nanoseconds. */
  timed_out: row<{ duration: string; nanoseconds: bigint }>({
    kind: 'Query',
    text: ({ duration }) => `The query was not executed because it exceeded the timeout: ${duration}`,
    details: ({ nanoseconds }) => ({
      kind: 'TimedOut',
      details: { duration: { secs: Number(nanoseconds / SECOND), nanos: Number(nanoseconds % SECOND) } },
    }),
    rpc: -32004,
    http: 408,
  }),
  cancelled: row({
    kind: 'Query',
    text: () => 'The query was cancelled',
    details: () => ({ kind: 'Cancelled' }),
    rpc: -32005,
  }),
  transaction_failed: row({
    kind: 'Query',
    text: () => 'The query was not executed due to a failed transaction',
    details: () => ({ kind: 'NotExecuted' }),
    rpc: -32003,
  }),
  transaction_cancelled: row({
    kind: 'Query',
    text: () => 'The query was not executed due to a cancelled transaction',
    details: () => ({ kind: 'Cancelled' }),
    rpc: -32005,
  }),
  statement_out_of_place: internal<{ statement: string }>(
    ({ statement }) => `Invalid statement: ${statement} cannot stand inside another statement`,
  ),
  transaction_open: internal(() => 'Tried to start a transaction while another transaction was open'),
  transaction_nested: internal(() => 'Invalid statement: Cannot BEGIN a transaction within a transaction'),
  too_many_transactions: row<{ limit: number; of: 'user' | 'server' }>({
    kind: 'NotAllowed',
    text: ({ limit, of }) => `A ${of} holds at most ${limit} transactions at a time`,
    http: 429,
    retryable: true,
  }),
  transaction_idle: row<{ duration: string }>({
    kind: 'Query',
    text: ({ duration }) => `The transaction was cancelled: nothing was asked of it for ${duration}`,
    details: () => ({ kind: 'Cancelled' }),
    rpc: -32005,
    retryable: true,
  }),
  transaction_expired: row<{ duration: string }>({
    kind: 'Query',
    text: ({ duration }) => `The transaction was cancelled: it was open for ${duration}`,
    details: () => ({ kind: 'Cancelled' }),
    rpc: -32005,
    retryable: true,
  }),
  transaction_too_large: row<{ limit: number }>({
    kind: 'NotAllowed',
    text: ({ limit }) =>
      `A transaction writes at most ${limit} bytes at once. Divide it, or start the server with a larger --max-transaction-memory`,
    http: 413,
  }),
  held_transactions_full: row<{ limit: number }>({
    kind: 'NotAllowed',
    text: ({ limit }) =>
      `Transactions that clients hold open write at most ${limit} bytes together. Commit or cancel some, or start the server with a larger --max-held-memory`,
    http: 503,
    retryable: true,
  }),
  transaction_not_open: internal<{ statement: string }>(
    ({ statement }) => `Invalid statement: Cannot ${statement} without starting a transaction`,
  ),
  commit_missing: internal(() => 'Missing COMMIT statement'),
} as const;
