import type { Method } from '../method.js';
import { connectionMethods } from './connection.js';
import { identityMethods } from './identity.js';
import { queryMethods } from './query.js';
import { recordMethods } from './records.js';

/** Every method by its name. Names are exact: `PING` is none. */
export const METHODS: ReadonlyMap<string, Method> = new Map(
  [connectionMethods, identityMethods, queryMethods, recordMethods].flat().map((method) => [method.name, method]),
);
