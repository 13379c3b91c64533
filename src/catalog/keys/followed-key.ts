/** The meaning of a key in another node's commit for the sessions of this node. */
import type { Level } from '../../language/ast.js';
import type { Key, KeyRange } from '../../storage/contract.js';
import type { Id } from './key-bytes.js';
import { idAt, prefixRange } from './key-bytes.js';
import {
  databaseArea,
  definitionRange,
  grantFamilyKey,
  grantKey,
  namespaceArea,
  ROOT_AREA,
  revocationKey,
  revocationRange,
  settingKey,
} from './store-keys.js';

export type FollowedKey =
  /** A user, an access method, or the revocation of a user's tokens; of a database with its id. */
  | { readonly kind: 'user'; readonly level: Level; readonly database?: Id }
  /** The row of a namespace or a database. */
  | { readonly kind: 'path' }
  /** A grant, or the revocation of a family of refresh tokens, by the grant's key behind the area. */
  | { readonly kind: 'grant'; readonly name: string }
  /** A revoked token or identity, by its key behind the area. */
  | { readonly kind: 'revoked'; readonly name: string }
  /** The incarnation of a record, by the encoded key of the record. */
  | { readonly kind: 'incarnation'; readonly key: string }
  | { readonly kind: 'setting' };

const NO_AREA = '';
const USERS = [
  definitionRange(NO_AREA, 'user').from,
  definitionRange(NO_AREA, 'access').from,
  revocationRange(NO_AREA, 'subject').from,
];
/** The ids of tokens, and of identities. */
const REVOKED = revocationRange(NO_AREA, 'token').from;
const PATHS = [definitionRange(NO_AREA, 'namespace').from, definitionRange(NO_AREA, 'database').from];
const GRANT = grantName('', '')[0] as string;
const FAMILY = grantFamilyKey(NO_AREA, '', '')[0] as string;
const INCARNATION = 'i';
const SETTING = settingKey('denials')[ROOT_AREA.length] as string;

const ROOT = ROOT_AREA;
const NAMESPACE = namespaceArea(0);
const DATABASE = databaseArea(0);
const TABLE_LENGTH = 4;
/** Most keys are of one of these kinds: records, index entries, edges, and changes of watched tables. */
const OF_NO_INTEREST: ReadonlySet<string> = new Set(['r', 'x', 'e', 'c', 'l']);

/** The name by which `FollowedKey` identifies a grant: its key without the area. */
export function grantName(access: string, grant: string): string {
  return grantKey(NO_AREA, access, grant);
}

/** The name by which `FollowedKey` identifies a token or an identity: the key of its revocation without the area. */
export function revokedName(id: string): string {
  return revocationKey(NO_AREA, 'token', id);
}

/** The meaning of a key for sessions; `undefined` for keys on which no session depends. */
export function readFollowedKey(key: Key): FollowedKey | undefined {
  const at = key[0] === ROOT ? ROOT.length : DATABASE.length;
  const kind = key[at];
  if (kind === undefined || OF_NO_INTEREST.has(kind)) return undefined;
  const isDatabase = key[0] === DATABASE[0];
  if (kind === INCARNATION) {
    return isDatabase ? { kind: 'incarnation', key: key.slice(at + 1 + TABLE_LENGTH) } : undefined;
  }
  if (kind === GRANT) return { kind: 'grant', name: key.slice(at) };
  // Sessions name a family as they name a grant.
  if (kind === FAMILY) return { kind: 'grant', name: GRANT + key.slice(at + 1) };
  if (key.startsWith(REVOKED, at)) return { kind: 'revoked', name: key.slice(at) };
  if (USERS.some((prefix) => key.startsWith(prefix, at))) {
    if (isDatabase) return { kind: 'user', level: 'database', database: idAt(key, 1) };
    return { kind: 'user', level: key[0] === NAMESPACE[0] ? 'namespace' : 'root' };
  }
  if (key[0] !== ROOT) return undefined;
  if (kind === SETTING) return { kind: 'setting' };
  return PATHS.some((prefix) => key.startsWith(prefix, at)) ? { kind: 'path' } : undefined;
}

/** Whether a range of keys may hold such keys, or settings that a node has to read again. */
export function mayHoldFollowedKeys({ from, to }: KeyRange): boolean {
  // A range within the records of a table, or the like.
  const kind = from[0] === DATABASE[0] ? from[DATABASE.length] : undefined;
  if (kind === undefined || !'rxe'.includes(kind)) return true;
  return to > prefixRange(from.slice(0, DATABASE.length + 1)).to;
}
