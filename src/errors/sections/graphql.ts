/** Errors of GraphQL requests. Errors of a field's statement keep their code. */
import { type ErrorRow, row } from '../row.js';

/** Errors whose message comes from the GraphQL library; the code names the stage. */
const worded = (): ErrorRow<{ message: string }> => row({ kind: 'Validation', text: ({ message }) => message });

export const graphqlErrors = {
  // ─── Requests ───

  graphql_accept_missing: row({
    kind: 'Validation',
    text: () => 'Send an Accept header: application/json, or application/graphql-response+json for the standard form',
  }),
  graphql_request: row<{ reason: string }>({
    kind: 'Validation',
    text: ({ reason }) => `Not a GraphQL request: ${reason}`,
  }),
  graphql_query_only: row<{ operation: string }>({
    kind: 'NotAllowed',
    text: ({ operation }) => `GET is for queries only: send a ${operation} by POST`,
    http: 405,
  }),
  graphql_not_streamed: row({
    kind: 'NotAllowed',
    text: () => 'A subscription needs a WebSocket, or the header Accept: text/event-stream',
    http: 406,
  }),
  graphql_not_configured: row({
    kind: 'Configuration',
    text: () => 'NotConfigured: GraphQL is not configured for this database. Enable it with DEFINE CONFIG GRAPHQL AUTO',
    details: () => ({ kind: 'NotConfigured' }),
  }),
  graphql_no_tables: row({
    kind: 'Configuration',
    text: () => 'No tables found in database: define one, or name another in DEFINE CONFIG GRAPHQL TABLES',
  }),

  // ─── Documents ───

  // Apollo's clients depend on both texts: after the first they send the document itself, after the second they stop
  // using ids.
  graphql_document_unknown: row<{ kind: 'documentId' | 'persistedQuery'; any: boolean }>({
    kind: 'NotFound',
    text: ({ kind, any }) => {
      if (kind === 'persistedQuery') return any ? 'PersistedQueryNotFound' : 'PersistedQueryNotSupported';
      return any ? 'There is no document with this `documentId`' : 'No documents are known by id (--graphql-documents)';
    },
  }),
  graphql_manifest: row<{ reason: string }>({ kind: 'Configuration', text: ({ reason }) => reason }),
  graphql_document_untrusted: row({
    kind: 'NotAllowed',
    text: () => 'Only the documents that the server was started with are run (--graphql-trusted-only)',
    http: 403,
  }),

  graphql_syntax: worded(),
  graphql_invalid: worded(),
  graphql_operation: worded(),
  graphql_variables: worded(),
  graphql_fragment_cycle: row<{ name: string }>({
    kind: 'Validation',
    text: ({ name }) => `The fragment "${name}" contains itself`,
  }),
  graphql_introspection_disabled: row<{ setting: string }>({
    kind: 'NotAllowed',
    text: ({ setting }) => `Introspection is switched off (${setting})`,
    http: 403,
  }),
  graphql_limit: row<{ what: string; limit: number; setting: string }>({
    kind: 'Validation',
    text: ({ what, limit, setting }) => `The GraphQL request exceeds the limit of ${limit} ${what} (${setting})`,
    details: ({ what, limit, setting }) => ({ kind: 'Limit', details: { what, limit, setting } }),
  }),

  // ─── Arguments and results ───

  graphql_argument: row<{ reason: string }>({ kind: 'Validation', text: ({ reason }) => reason }),
  graphql_cursor: row<{ reason: string }>({ kind: 'Validation', text: ({ reason }) => reason }),
  graphql_value: row<{ type: string; value: string }>({
    kind: 'Validation',
    text: ({ type, value }) => `The type ${type} cannot represent ${value}`,
  }),
  graphql_result: worded(),

  // ─── Mutations ───

  graphql_unchanged: row({
    kind: 'NotFound',
    text: () => 'There is no record to be changed, so that those which were to be created with it were not',
  }),
  graphql_transaction: row({
    kind: 'NotAllowed',
    text: () => 'Who is signed in can not change within a mutation that is a @transaction',
  }),
  graphql_undone: row({
    kind: 'Query',
    text: () => 'Nothing of this was kept: another field of the same @transaction failed',
  }),
} as const;
