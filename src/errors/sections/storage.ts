/** Errors of the storage engines. */
import { row } from '../row.js';

export const storageErrors = {
  compaction_unsupported: row({
    kind: 'Internal',
    text: () => 'The storage layer does not support compaction requests.',
  }),
  transaction_conflict: row({
    kind: 'Query',
    text: () => 'Transaction conflict: another transaction changed what this one read. This transaction can be retried',
    details: () => ({ kind: 'TransactionConflict' }),
    rpc: -32009,
    http: 409,
    retryable: true,
  }),
  commit_outcome_unknown: row<{ reason: string }>({
    kind: 'Query',
    text: ({ reason }) =>
      `It is unknown whether the transaction was committed, since the store didn't answer in time: ${reason}`,
    details: () => ({ kind: 'CommitOutcomeUnknown' }),
    http: 504,
  }),
  snapshot_expired: row({
    kind: 'Query',
    text: () => 'Too many states of the store are being read at once, and this was the oldest. It can be read again',
    http: 503,
    retryable: true,
  }),
  transaction_finished: row({
    kind: 'Internal',
    text: () => 'The transaction has already been committed or cancelled',
  }),
  storage_unavailable: row<{ reason: string }>({
    kind: 'Internal',
    text: ({ reason }) => `The storage engine is not available: ${reason}`,
    http: 503,
    retryable: true,
  }),
  storage_denied: row<{ reason: string }>({
    kind: 'Configuration',
    text: ({ reason }) => `The store denies access: ${reason}`,
    http: 503,
  }),
  storage_unsupported: row<{ database: string; reason: string }>({
    kind: 'Configuration',
    text: ({ database, reason }) => `${database} can't hold a store: ${reason}`,
    http: 503,
  }),
  storage_in_use: row<{ store: string }>({
    kind: 'Connection',
    text: ({ store }) => `The ${store} is in use by another process`,
    http: 503,
  }),
  storage_address: row<{ address: string }>({
    kind: 'Configuration',
    text: ({ address }) =>
      `'${address}' names no store. Use 'memory', or the path of a folder, perhaps behind 'lmdb:', 'file:', 'rocksdb:' or 'surrealkv:', or 'postgres://host/database'`,
  }),
  storage_foreign: row<{ folder: string; engine: string }>({
    kind: 'Configuration',
    text: ({ folder, engine }) =>
      `The folder ${folder} holds files that are not Tessera's, perhaps of ${engine}. Export them with what wrote them, and import the text into a new folder`,
  }),
  storage_format: row<{ folder: string; format: string; known: number }>({
    kind: 'Configuration',
    text: ({ folder, format, known }) =>
      Number(format) > known
        ? `The data in ${folder} has format ${format}, which a newer Tessera wrote; this one knows ${known}. Start it with that version or a newer one`
        : `The data in ${folder} has format ${format}, and this version of Tessera knows ${known} only. Export it with the version that wrote it, and import the text into a new folder`,
    http: 503,
  }),
  storage_corrupt: row<{ what: string }>({
    kind: 'Internal',
    text: ({ what }) =>
      `Stored data is damaged: ${what}. Stop the server and run "tessera check" on the data folder, which reports what is damaged and what to do`,
    http: 500,
  }),
  storage_full: row<{ reason: string }>({
    kind: 'Internal',
    text: ({ reason }) =>
      `There is no room to store this: ${reason}. Nothing of it was stored, and reading goes on; it can be retried when there is room`,
    http: 503,
    retryable: true,
  }),
  copy_target_not_empty: row({
    kind: 'Configuration',
    text: () => 'The store to copy to holds data already. Copy to a new one, or remove what is in it',
  }),
  copy_source_changed: row<{ begun: string; wanted: string }>({
    kind: 'Configuration',
    text: ({ begun, wanted }) =>
      begun === wanted
        ? `${wanted} has changed since the copy of it was begun. Remove what was copied, and begin again`
        : `The copy under way is one of ${begun}, not of ${wanted}. Go on with that one, or remove what was copied`,
  }),
  copy_incomplete: row({
    kind: 'Configuration',
    text: () =>
      'The store holds a copy that is not complete. Run the same "tessera copy" again, which goes on where it stopped, or remove the store',
    http: 503,
  }),
  copy_differs: row<{ expected: string; found: string }>({
    kind: 'Internal',
    text: ({ expected, found }) =>
      `The copy is not what was copied: ${found} instead of ${expected}. It can't be used; remove it, and copy again`,
  }),
  audit_log_unreadable: row<{ reason: string }>({
    kind: 'Configuration',
    text: ({ reason }) => `The audit log can't be read: ${reason}`,
  }),
  audit_log_unusable: row<{ reason: string }>({
    kind: 'Configuration',
    text: ({ reason }) => `The audit log cannot be used: ${reason}`,
    http: 503,
  }),
  key_too_long: row<{ length: number; limit: number }>({
    kind: 'Validation',
    text: ({ length, limit }) =>
      `A record id or an indexed value is too long for this store: its key has ${length} bytes, and ${limit} are the most`,
  }),
} as const;
