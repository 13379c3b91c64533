// What permissions cost: a record user's reads beside the same reads of an owner who writes the rule into the query.
import { DOCUMENTS } from '../data/documents.mjs';

const WHO = ['tessera:memory', 'tessera:record-user'];

/** @type {readonly [name: string, asUser: string, asOwner: string][]} */
const READS = [
  ['scan, half of it visible', 'SELECT n FROM doc', 'SELECT n FROM doc WHERE owner = user:0 OR public'],
  [
    'filtered scan, half of it visible',
    'SELECT n FROM doc WHERE n < 1000',
    'SELECT n FROM doc WHERE (owner = user:0 OR public) AND n < 1000',
  ],
  ['own rows by the rule’s index', 'SELECT n FROM mine', 'SELECT n FROM mine WHERE owner = user:0'],
  ['10 own of 10,000 by the rule’s index', 'SELECT * FROM few', 'SELECT * FROM few WHERE owner = user:0'],
  ['10 own of 10,000, asked for', 'SELECT * FROM few WHERE owner = $auth', 'SELECT * FROM few WHERE owner = user:0'],
  ['own record by id', 'SELECT * FROM doc:0', 'SELECT * FROM doc:0'],
];

/** @type {import('../harness/contract.mjs').Workload[]} */
export const PERMISSIONS = READS.map(([name, asUser, asOwner]) => ({
  name,
  data: DOCUMENTS,
  only: WHO,
  asUser,
  surrealql: asOwner,
}));
