/** The lasting sessions of all nodes, so that each can list them, count them, and end them. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Entry, Key, Stored, Transaction } from '../../storage/contract.js';
import { datetimeNanoseconds, toDatetime } from '../../value/time/datetime.js';
import { Datetime, isObject, newObject, type ObjectValue, objectFrom, type Value } from '../../value/value.js';
import type { RevocableToken, TokenGrant } from '../credentials/revocation-list.js';
import { entriesOf } from '../entries.js';
import { PRESENCE_RANGE, presenceOfUser } from '../keys/node-keys.js';
import type { DatabasePath } from '../principal.js';

/** A session, as its node has stored it. */
export interface PresentSession {
  /** Of the node (`SharedStore.node`). */
  readonly node: string;
  /** A UUID. */
  readonly id: string;
  /** The level of its user, and the user (`subjectOf`). */
  readonly databasePath: DatabasePath;
  readonly subject: string;
  /** When the user signed in, in nanoseconds since 1970. */
  readonly since: bigint;
  /** The token that would open it again. */
  readonly token: RevocableToken | undefined;
  /** The columns of INFO FOR SESSIONS. The last use and the live queries may be out of date. */
  readonly overview: ObjectValue;
}

/** The row by which other nodes see a session of this one. */
export function storedSession({ node, id, databasePath, subject, since, token, overview }: PresentSession): Stored {
  const row = newObject();
  Object.assign(row, { node, id, subject, since: toDatetime(since), overview });
  if (databasePath.namespace !== undefined) row['namespace'] = databasePath.namespace;
  if (databasePath.database !== undefined) row['database'] = databasePath.database;
  if (token !== undefined) {
    row['token'] = token.id;
    if (token.expiry !== undefined) row['expiry'] = toDatetime(token.expiry);
    if (token.grant !== undefined) row['grant'] = objectFrom({ ...token.grant });
  }
  return row;
}

function readSession(stored: Stored): PresentSession | undefined {
  if (!isObject(stored)) return undefined;
  const { node, id, namespace, database, subject, since, token, expiry, grant, overview } = stored;
  return {
    node: String(node),
    id: String(id),
    databasePath: { namespace: textOf(namespace), database: textOf(database) },
    subject: String(subject),
    since: nanosecondsOf(since) ?? 0n,
    token: typeof token === 'string' ? { id: token, expiry: nanosecondsOf(expiry), grant: grantIn(grant) } : undefined,
    overview: isObject(overview) ? overview : newObject(),
  };
}

/** Absent in rows of older releases. */
function grantIn(stored: Value): TokenGrant | undefined {
  return isObject(stored) ? { access: String(stored['access']), id: String(stored['id']) } : undefined;
}

function textOf(value: Value): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function nanosecondsOf(value: Value): bigint | undefined {
  return value instanceof Datetime ? datetimeNanoseconds(value) : undefined;
}

/** The sessions of a user, or of all users, of all nodes, each with its key. */
export function presentSessions(
  transaction: Transaction,
  user?: string,
): PromiseOrValue<readonly (PresentSession & { readonly key: Key })[]> {
  const range = user === undefined ? PRESENCE_RANGE : presenceOfUser(user);
  return andThen(entriesOf(transaction, range), (entries: readonly Entry[]) =>
    entries.flatMap(([key, stored]) => {
      const session = readSession(stored);
      return session === undefined ? [] : [{ ...session, key }];
    }),
  );
}

/** Deletes the sessions of nodes that are gone. */
export function sweepSessions(transaction: Transaction, isGone: (node: string) => boolean): PromiseOrValue<void> {
  return andThen(presentSessions(transaction), (sessions) => {
    for (const { key, node } of sessions) if (isGone(node)) transaction.delete(key);
  });
}
