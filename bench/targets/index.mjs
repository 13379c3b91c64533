import { CLIENTS } from './clients.mjs';
import { LMDB } from './lmdb.mjs';
import { NETWORK } from './network.mjs';
import { PLAIN } from './plain.mjs';
import { POSTGRES } from './postgres.mjs';
import { SQLITE } from './sqlite.mjs';
import { TESSERA } from './tessera.mjs';
import { TESSERA_GRAPHQL } from './tessera-graphql.mjs';

/** All targets, in the order of the tables' columns. @type {readonly import('../harness/contract.mjs').Target[]} */
export const TARGETS = [
  ...TESSERA,
  ...TESSERA_GRAPHQL,
  ...CLIENTS,
  ...SQLITE,
  ...LMDB,
  ...PLAIN,
  ...NETWORK,
  ...POSTGRES,
];
