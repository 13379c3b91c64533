// The ten rows that stand first in docs/operating/performance.md: of each, the aim whose ratio or figure is shown.

/** @type {readonly (readonly [label: string, workload: string, target: string, beside?: string])[]} */
export const HEADLINES = [
  ['the smallest statement, official client in process', 'RETURN 1', 'client:memory', 'surrealdb:memory'],
  ['read a record by its id', 'read by id', 'client:memory', 'surrealdb:memory'],
  ['create a record', 'create', 'client:memory', 'surrealdb:memory'],
  ['create a record durably, one client', 'create', 'client:lmdb', 'surrealdb:disk'],
  ['insert 1,000 records durably', 'insert 1,000, for each', 'client:lmdb', 'surrealdb:disk'],
  ['count 100,000 rows by a condition', 'filtered count', 'client:memory', 'surrealdb:memory'],
  ['the same beside SQLite', 'filtered count', 'tessera:memory', 'sqlite'],
  [
    'a permission that an index answers, beside an owner',
    'own rows by the rule’s index',
    'tessera:record-user',
    'tessera:memory',
  ],
  ['the smallest request over HTTP, beside a bare server', 'RETURN 1, over the network', 'http', 'bare:http'],
  ['memory of a record of five fields', 'memory for each record', 'tessera:memory'],
];
