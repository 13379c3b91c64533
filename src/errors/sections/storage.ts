import { row } from '../row.js';

/** Errors of the storage engines. */
export const storageErrors = {
  transaction_conflict: row({
    kind: 'Query',
    text: () => 'Transaction conflict: another transaction changed what this one read. This transaction can be retried',
    details: () => ({ kind: 'TransactionConflict' }),
    rpc: -32009,
    http: 409,
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
} as const;
