/**
 * Keys of the sessions of all nodes, in the area of a database that there never is: so that commits there wait for no
 * commit of root or of a database, nor those for them (`storage/remote/heads.ts`).
 *
 *     D ff ff ff ff s user node id     a lasting session
 *     D ff ff ff ff k stamp order      a signal to a node
 */
import { createHash } from 'node:crypto';
import type { Key, KeyRange } from '../../storage/contract.js';
import { type Area, databaseArea, prefixRange } from '../keys.js';

const AREA: Area = databaseArea(0xffff_ffff);

/** The sessions of all nodes. */
export const PRESENCE_RANGE: KeyRange = prefixRange(`${AREA}s`);

/** Those of a user, identified by a text of any length. */
export function presenceOfUser(user: string): KeyRange {
  return prefixRange(PRESENCE_RANGE.from + createHash('sha256').update(user).digest().toString('latin1'));
}

/** `node` and `id` are those of the session, which tell its key from others. */
export function presenceKey(user: string, node: string, id: string): Key {
  return presenceOfUser(user).from + node + id;
}

/** The log of signals. */
export const SIGNAL_LOG: Key = `${AREA}k`;
