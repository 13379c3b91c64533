/** Describes the kind of data under a key for error texts, without revealing its content. */
import type { Key } from '../../storage/contract.js';
import { type Id, OF_FILES } from './key-bytes.js';
import { NODES_AREA } from './node-keys.js';
import { databaseArea, SYSTEM_SIGN_INS } from './store-keys.js';

/** By the byte after the area (`store-keys.ts`), in root, namespaces or databases. */
const KINDS: Readonly<Record<string, string>> = {
  '#': 'the counter of ids',
  a: 'an asynchronous event that waits',
  d: 'a definition',
  s: 'a setting',
  g: 'a grant',
  h: 'a family of grants',
  o: 'a revocation',
  q: 'the counter of a sequence',
  l: 'an entry of a changefeed',
  k: 'a request to sign in',
  m: 'a mail',
  p: 'a file',
  n: 'an identity',
  u: 'a live query',
  c: 'a change for live queries',
  y: 'how far the changes for live queries were pruned',
};
/** The same where a table's id follows. */
const TABLE_KINDS: Readonly<Record<string, string>> = {
  t: 'a definition',
  r: 'a record',
  e: 'an edge or a reference',
  x: 'an entry of an index',
  f: 'where the changefeed is whole',
  v: 'a part of a view',
  w: 'until when it is watched',
};
const ID_LENGTH = 4;

/** For example `a record of table 5 in database 3`. */
export function describeKey(key: Key): string {
  if (key[0] === 'Q') return 'an asynchronous event that waits';
  if (key[0] === 'A') return `a note that events were queued in database ${idAt(key, 1)}`;
  if (key[0] === 'K') return `a note that requests to sign in were begun in database ${idAt(key, 1)}`;
  if (key[0] === 'M') return `a note that mails were queued in database ${idAt(key, 1)}`;
  if (key[0] === 'F') return 'a note that there are or were buckets';
  if (key.startsWith(NODES_AREA)) return 'what nodes know of each other';
  if (key.startsWith(databaseArea(SYSTEM_SIGN_INS))) return 'a request to sign in of a system user';
  if (key[0] === 'R') return `${KINDS[key[1] ?? ''] ?? 'something'} of root`;
  const where = { N: 'namespace', D: 'database' }[key[0] ?? ''];
  if (where === undefined) return 'an entry of no known kind';
  const location = `${where} ${idAt(key, 1)}`;
  const kind = key[1 + ID_LENGTH] ?? '';
  const inTable = where === 'database' ? TABLE_KINDS[kind] : undefined;
  if (inTable === undefined) return `${KINDS[kind] ?? 'something'} of ${location}`;
  const table = idAt(key, 2 + ID_LENGTH);
  return table === OF_FILES ? `a reference to a file in ${location}` : `${inTable} of table ${table} in ${location}`;
}

/** What keys of a table hold, in the plural. */
const HELD: Readonly<Record<string, string>> = {
  r: 'records',
  e: 'edges and references',
  x: 'entries of indexes',
  v: 'parts of views',
};

/** What a key holds, and of which table: for summaries of many. */
export function whatKeyHolds(key: Key): { readonly table?: Id; readonly holds: string } {
  const holds = key[0] === 'D' ? HELD[key[1 + ID_LENGTH] ?? ''] : undefined;
  if (holds === undefined) return { holds: 'definitions' };
  const table = idAt(key, 2 + ID_LENGTH);
  return table === OF_FILES ? { holds: 'references to files' } : { table, holds };
}

/** Whether a key is that of a record. */
export function isRecordKey(key: Key): boolean {
  return key[0] === 'D' && key[1 + ID_LENGTH] === 'r';
}

function idAt(key: Key, at: number): Id {
  let id = 0;
  for (let index = at; index < at + ID_LENGTH; index++) id = id * 256 + (key.charCodeAt(index) || 0);
  return id;
}
