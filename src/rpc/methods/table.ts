/** The table of RPC methods, joined from its groups. */
import { isObject, type Value } from '../../value/value.js';
import type { Method } from '../method.js';
import { connectionMethods } from './connection.js';
import { identityMethods } from './identity.js';
import { liveMethods } from './live.js';
import { queryMethods } from './query.js';
import { recordMethods } from './records.js';
import { transactionMethods } from './transactions.js';

/** All methods by name; names are case-sensitive. */
export const METHODS: ReadonlyMap<string, Method> = new Map(
  [connectionMethods, identityMethods, liveMethods, queryMethods, recordMethods, transactionMethods]
    .flat()
    .map((method) => [method.name, method]),
);

/** The method named by a message, if it exists. */
export function rpcMethod(message: Value): Method | undefined {
  return isObject(message) && typeof message.method === 'string' ? METHODS.get(message.method) : undefined;
}
