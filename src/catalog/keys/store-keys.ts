/**
 * Every key of the store, in one place. A key begins with its area, and everything below an area is one contiguous
 * range:
 *
 *     A db                                  a database in which asynchronous events were queued
 *     Q stamp order                         queued asynchronous events of the whole store, as in 0.1
 *     B db table index                      queued background work on indexes
 *     K db                                  a database in which sign-in requests may be open
 *     M db                                  a database in which mails were queued
 *     F b db, F r bucket                    a database that has had buckets, a bucket that was removed
 *     C                                     exists while a copy of another store is incomplete (`storage/copy`)
 *     R                                     root
 *     N ns                                  a namespace
 *     D db                                  a database
 *       …  #                                last id assigned in the area (root and databases)
 *       …  d kind name                      definitions; databases lie in the root's under (namespace, name)
 *     R s name                              settings of the whole store
 *       …  g access id                      grants of an access method
 *       …  h access id                      families of its refresh tokens that were revoked
 *       …  o kind name                      revoked tokens, users all of whose tokens were revoked, and those kept
 *       D db a stamp order                  queued asynchronous events
 *       D db z, D db z slot                 the last number of an event that failed, and those events that are kept
 *       D db q sequence                     the last number of a sequence that the server has reserved
 *       D db t table kind name              definitions on a table: fields, indexes, events
 *       D db r table key                    records
 *       D db e table key direction table key   graph edges, by the vertex at which they are found
 *       D db x table index …                index entries
 *       D db b table index                  the progress of an index build
 *       D db l name stamp order             changes of a table with a changefeed
 *       D db f table stamp order            gaps in the changefeed of a table: a new beginning, or pruned entries
 *       D db v table kind …                 the aggregates of a view, by the table that it fills
 *       D db i table key                    incarnations of records, which credentials name
 *       D db j table                        the table has lost records that might have had incarnations
 *       D db k kind digest                  sign-in requests, and what leads to them
 *       D db n kind …                       identities, by access method and subject, by record, and by mail address
 *       D db w table                        the watch of a table by live queries of any node (`live-keys.ts`)
 *       D db u id                           a live query, with its node
 *       D db c stamp order                  changes of watched tables, for the nodes to read
 *       D db m s slot                       a slot of the outbox that a waiting mail has, with its id
 *       D db m w due id                     a mail that waits to be sent, by when it is due
 *       D db m d expires id                 a mail that was sent or given up, without its text
 *       D db p bucket kind …                the files of a bucket (`file-keys.ts`)
 *       D db y                              the position up to which that log has been pruned
 *     D ff ff ff fe k kind digest           sign-in requests of system users, whatever their level
 *     D ff ff ff ff …                       rows by which nodes inform each other (`node-keys.ts`)
 *
 * Ids are four bytes, big-endian, so that the records of a table are contiguous, and are never reused, so that a new
 * table never gets a removed table's keys. Names are UTF-8, terminated by a zero byte. `key` is the order-preserving
 * encoding of a record key (`encodeKey`), which is self-delimiting.
 */
import type { Key, KeyRange } from '../../storage/contract.js';
import { ID_LENGTH, type Id, idAt, idBytes, NO_TABLE, nameBytes, prefixRange } from './key-bytes.js';

/** The common prefix of all keys of root, a namespace, or a database. */
export type Area = string;

export const ROOT_AREA: Area = 'R';

const AREA_LENGTH = 1 + ID_LENGTH;

/** The queue of asynchronous events of a whole store, as 0.1 has it. */
export const FORMER_EVENT_QUEUE: Key = 'Q';

const EVENT_DATABASES: Key = 'A';

const MAIL_DATABASES: Key = 'M';

/** Queued work on indexes (`../indexes/work.ts`). */
export const INDEX_QUEUE: Key = 'B';

/** The area of the keys of a namespace itself; those of its databases are areas of their own. */
export function namespaceArea(namespace: Id): Area {
  return `N${idBytes(namespace)}`;
}

/** The area of all keys of a database. */
export function databaseArea(database: Id): Area {
  return `D${idBytes(database)}`;
}

/** The database of an area of one. */
export function databaseOfArea(area: Area): Id {
  return idAt(area, 1);
}

// ─── Definitions ───

const AREA_KINDS = {
  namespace: 'n',
  database: 'd',
  user: 'u',
  access: 'a',
  table: 't',
  param: 'p',
  function: 'f',
  analyzer: 'z',
  sequence: 's',
  bucket: 'b',
  config: 'c',
  api: 'h',
} as const;
/** Kinds of definitions at a level. */
export type AreaKind = keyof typeof AREA_KINDS;

const TABLE_KINDS = { field: 'f', index: 'i', 'replaced-index': 'o', event: 'e' } as const;
/** Kinds of definitions on a table. */
export type TableMemberKind = keyof typeof TABLE_KINDS;

/** The key of a definition: `name` as in the DEFINE statement. */
export function definitionKey(area: Area, kind: AreaKind, name: string): Key {
  return `${area}d${AREA_KINDS[kind]}${nameBytes(name)}`;
}

/** The definitions of an area: all of them, or those of a kind. */
export function definitionRange(area: Area, kind?: AreaKind): KeyRange {
  return prefixRange(`${area}d${kind === undefined ? '' : AREA_KINDS[kind]}`);
}

/** Keyed by names rather than the namespace's id, so that one read finds a database. */
export function databaseKey(namespace: string, database: string): Key {
  return `${ROOT_AREA}d${AREA_KINDS.database}${nameBytes(namespace)}${nameBytes(database)}`;
}

/** The keys of the definitions of a namespace's databases. */
export function databasesRange(namespace: string): KeyRange {
  return prefixRange(`${ROOT_AREA}d${AREA_KINDS.database}${nameBytes(namespace)}`);
}

/** The key of what is defined on a table: a field, an event, an index. */
export function memberKey(database: Id, table: Id, kind: TableMemberKind, name: string): Key {
  return `${databaseArea(database)}t${idBytes(table)}${TABLE_KINDS[kind]}${nameBytes(name)}`;
}

/** The definitions on a table, of all kinds or one; without a table, those of all tables of the database. */
export function memberRange(database: Id, table?: Id, kind?: TableMemberKind): KeyRange {
  const ofTable = table === undefined ? '' : idBytes(table);
  return prefixRange(`${databaseArea(database)}t${ofTable}${kind === undefined ? '' : TABLE_KINDS[kind]}`);
}

/** The table's id in the key of a definition on a table. */
export function tableOfMember(key: Key): Id {
  return idAt(key, AREA_LENGTH + 1);
}

/** The key of the last id assigned in an area. */
export function counterKey(area: Area): Key {
  return `${area}#`;
}

/** A grant of an access method, by its id. */
export function grantKey(area: Area, access: string, grant: string): Key {
  return `${area}g${nameBytes(access)}${nameBytes(grant)}`;
}

export function grantRange(area: Area, access: string): KeyRange {
  return prefixRange(`${area}g${nameBytes(access)}`);
}

/** The revocation of a family of refresh tokens, by the id of its first token. */
export function grantFamilyKey(area: Area, access: string, family: string): Key {
  return `${area}h${nameBytes(access)}${nameBytes(family)}`;
}

export function grantFamilyRange(area: Area, access: string): KeyRange {
  return prefixRange(`${area}h${nameBytes(access)}`);
}

const REVOCATION_KINDS = { subject: 's', kept: 'k', token: 't' } as const;

/** An entry of the revocation list. */
export function revocationKey(area: Area, kind: keyof typeof REVOCATION_KINDS, name: string): Key {
  return `${area}o${REVOCATION_KINDS[kind]}${nameBytes(name)}`;
}

export function revocationRange(area: Area, kind: keyof typeof REVOCATION_KINDS): KeyRange {
  return prefixRange(`${area}o${REVOCATION_KINDS[kind]}`);
}

/** The key of a setting of the whole store. */
export function settingKey(name: 'query-timeout' | 'denials' | 'users-lost' | 'restored'): Key {
  return `${ROOT_AREA}s${nameBytes(name)}`;
}

/** The key of the counter of a sequence, by its identity (`SequenceDefinition`). */
export function sequenceKey(area: Area, identity: string): Key {
  return `${area}q${nameBytes(identity)}`;
}

// ─── Asynchronous events ───

/** Prefix of the queued asynchronous events of a database. */
export function eventQueue(database: Id): Key {
  return `${databaseArea(database)}a`;
}

/** The last number of an asynchronous event that failed. */
export function failedEventCounterKey(database: Id): Key {
  return `${databaseArea(database)}z`;
}

/** Prefix of the asynchronous events that failed. */
export function failedEventPrefix(database: Id): Key {
  return `${databaseArea(database)}zf`;
}

/** A slot for an asynchronous event that failed. */
export function failedEventKey(database: Id, slot: number): Key {
  return failedEventPrefix(database) + idBytes(slot);
}

/**
 * Marks a database in which asynchronous events were queued, so that all queues are found without reading the catalog.
 */
export function eventDatabaseKey(database: Id): Key {
  return EVENT_DATABASES + idBytes(database);
}

export const EVENT_DATABASES_RANGE: KeyRange = prefixRange(EVENT_DATABASES);

/** The database in a key of `eventDatabaseKey`. */
export function databaseOfEvents(key: Key): Id {
  return idAt(key, EVENT_DATABASES.length);
}

/** The database of the event queue that contains a key, if any. */
export function databaseOfQueuedEvent(key: Key): Id | undefined {
  return key[0] === 'D' && key[AREA_LENGTH] === 'a' ? idAt(key, 1) : undefined;
}

// ─── Outbox ───

/** Marks a database in which mails were queued. */
export function mailDatabaseKey(database: Id): Key {
  return MAIL_DATABASES + idBytes(database);
}

export const MAIL_DATABASES_RANGE: KeyRange = prefixRange(MAIL_DATABASES);

/** The database in a key of `mailDatabaseKey`. */
export function databaseOfMails(key: Key): Id {
  return idAt(key, MAIL_DATABASES.length);
}

/** A slot of the outbox: there are as many as mails may wait. */
export function mailSlotKey(database: Id, slot: number): Key {
  return `${databaseArea(database)}ms${idBytes(slot)}`;
}

/** The mails that wait, by when they are due, or those that are done, by when they are forgotten. */
export function mailPrefix(database: Id, state: 'waiting' | 'done'): Key {
  return `${databaseArea(database)}m${state === 'waiting' ? 'w' : 'd'}`;
}

/** The database whose outbox a key of a waiting mail belongs to, if it is one. */
export function databaseOfWaitingMail(key: Key): Id | undefined {
  return key[0] === 'D' && key.startsWith('mw', AREA_LENGTH) ? idAt(key, 1) : undefined;
}

// ─── Records and index entries ───

const TABLE_PREFIX_LENGTH = AREA_LENGTH + 1 + ID_LENGTH;

export function recordPrefix(database: Id, table: Id): string {
  return `${databaseArea(database)}r${idBytes(table)}`;
}

/** `key` is the encoded record key. `TableKeys` is faster for many keys of one table. */
export function recordKey(database: Id, table: Id, key: string): Key {
  return recordPrefix(database, table) + key;
}

/** The encoded record key within a record's key. */
export function encodedKeyOf(record: Key): string {
  return record.slice(TABLE_PREFIX_LENGTH);
}

/** The prefix of all entries of an index. */
export function indexPrefix(database: Id, table: Id, index: Id): string {
  return `${databaseArea(database)}x${idBytes(table)}${idBytes(index)}`;
}

/** The entries of all indexes of a table. */
export function indexRange(database: Id, table: Id): KeyRange {
  return prefixRange(`${databaseArea(database)}x${idBytes(table)}`);
}

/** The queued work on the entries of an index. */
export function indexWorkKey(database: Id, table: Id, index: Id): Key {
  return INDEX_QUEUE + idBytes(database) + idBytes(table) + idBytes(index);
}

/** The index in a key of queued work. */
export function indexOfWork(key: Key): { readonly database: Id; readonly table: Id; readonly index: Id } {
  const at = INDEX_QUEUE.length;
  return { database: idAt(key, at), table: idAt(key, at + ID_LENGTH), index: idAt(key, at + 2 * ID_LENGTH) };
}

/** The progress of an index build. */
export function indexBuildKey(database: Id, table: Id, index: Id): Key {
  return `${databaseArea(database)}b${idBytes(table)}${idBytes(index)}`;
}

/** The same for all indexes of a table. */
export function indexBuildRange(database: Id, table: Id): KeyRange {
  return prefixRange(`${databaseArea(database)}b${idBytes(table)}`);
}

// ─── Incarnations ───

/** The prefix of all incarnations of a table. */
export function incarnationPrefix(database: Id, table: Id): string {
  return `${databaseArea(database)}i${idBytes(table)}`;
}

/** Whether records of a table were deleted that may have had incarnations. */
export function lostRecordsKey(database: Id, table: Id): Key {
  return `${databaseArea(database)}j${idBytes(table)}`;
}

// ─── Sign-in requests and identities ───

const SIGN_IN_DATABASES: Key = 'K';

/** Marks a database in which sign-in requests may be open, so that these are found without reading the catalog. */
export function signInDatabaseKey(database: Id): Key {
  return SIGN_IN_DATABASES + idBytes(database);
}

export const SIGN_IN_DATABASES_RANGE: KeyRange = prefixRange(SIGN_IN_DATABASES);

/**
 * Where sign-in requests of system users are, as if of a database: an id that is never assigned, so that beginning one
 * doesn't make commits of root wait.
 */
export const SYSTEM_SIGN_INS: Id = 0xffff_fffe;

/** The database in a key of `signInDatabaseKey`. */
export function databaseOfSignIns(key: Key): Id {
  return idAt(key, SIGN_IN_DATABASES.length);
}

const SIGN_IN_KINDS = { request: 'r', pointer: 'p' } as const;

/** A sign-in request by the digest of its name, or what leads to one, by the digest of what it is. */
export function signInKey(database: Id, kind: keyof typeof SIGN_IN_KINDS, digest: string): Key {
  return `${databaseArea(database)}k${SIGN_IN_KINDS[kind]}${nameBytes(digest)}`;
}

/** All sign-in requests of a database. */
export function signInRange(database: Id): KeyRange {
  return prefixRange(`${databaseArea(database)}k${SIGN_IN_KINDS.request}`);
}

/** An identity by the digest of its subject. */
export function identityKey(database: Id, access: string, digest: string): Key {
  return `${databaseArea(database)}ns${nameBytes(access)}${nameBytes(digest)}`;
}

/** The identities of an access method. */
export function identityRange(database: Id, access: string): KeyRange {
  return prefixRange(`${databaseArea(database)}ns${nameBytes(access)}`);
}

/** That a record has an identity; `key` is the record's encoded key. */
export function recordIdentityKey(database: Id, table: string, key: string, access: string, digest: string): Key {
  return `${databaseArea(database)}nr${nameBytes(table)}${key}${nameBytes(access)}${nameBytes(digest)}`;
}

/** Those of a record, of its identities of an access method, or of all records of a table. */
export function recordIdentityRange(database: Id, table: string, key = '', access?: string): KeyRange {
  const of = access === undefined ? '' : nameBytes(access);
  return prefixRange(`${databaseArea(database)}nr${nameBytes(table)}${key}${of}`);
}

/** By what authenticators know a record; `key` is the record's encoded key. */
export function userHandleKey(database: Id, table: string, key: string): Key {
  return `${databaseArea(database)}nh${nameBytes(table)}${key}`;
}

/** Those of all records of a table. */
export function userHandleRange(database: Id, table: string): KeyRange {
  return prefixRange(userHandleKey(database, table, ''));
}

/** The wrong codes that were shown as second proofs of a record; `key` is the record's encoded key. */
export function factorTriesKey(database: Id, table: string, key: string): Key {
  return `${databaseArea(database)}nf${nameBytes(table)}${key}`;
}

/** Those of all records of a table. */
export function factorTriesRange(database: Id, table: string): KeyRange {
  return prefixRange(`${databaseArea(database)}nf${nameBytes(table)}`);
}

/** That an identity proves a mail address, by the digests of the address and of the subject. */
export function addressIdentityKey(database: Id, address: string, access: string, digest: string): Key {
  return `${databaseArea(database)}na${nameBytes(address)}${nameBytes(access)}${nameBytes(digest)}`;
}

/** The identities that prove an address. */
export function addressIdentityRange(database: Id, address: string): KeyRange {
  return prefixRange(`${databaseArea(database)}na${nameBytes(address)}`);
}

// ─── Views ───

const VIEW_KINDS = { group: 'g', row: 'r', order: 'o' } as const;
/** The data of a view: aggregates per group, the contribution of each source record, and ordered values. */
export type ViewKind = keyof typeof VIEW_KINDS;

/** All data of a view except its records. */
export function viewRange(database: Id, view: Id): KeyRange {
  return prefixRange(`${databaseArea(database)}v${idBytes(view)}`);
}

/** The prefix of all rows of one kind of a view: groups, contributions of records, ordered values. */
export function viewPrefix(database: Id, view: Id, kind: ViewKind): string {
  return `${databaseArea(database)}v${idBytes(view)}${VIEW_KINDS[kind]}`;
}

/** The contribution of a source record to a view; `key` is the encoded record key. */
export function viewRowKey(prefix: string, source: Id, key: string): Key {
  return prefix + idBytes(source) + key;
}

/** The ordered values of one column of a group; `group` is the group's encoded key. */
export function viewOrderPrefix(prefix: string, group: string, column: number): string {
  return prefix + group + idBytes(column);
}

// ─── Change logs ───

/** The change log of a table, to which entries are appended; keyed by name, since it outlives the table. */
export function changesPrefix(database: Id, table: string): Key {
  return `${databaseArea(database)}l${nameBytes(table)}`;
}

/** The change logs of all tables, ordered by name. */
export function changesRange(database: Id): KeyRange {
  return prefixRange(`${databaseArea(database)}l`);
}

/** The prefix of the change log that contains an entry's key. */
export function changesPrefixOf(key: Key): Key {
  return key.slice(0, key.indexOf('\0', AREA_LENGTH + 1) + 1);
}

/** The gaps in the changefeed of a table; without a table, those in all feeds of the database. */
export function feedGapsPrefix(database: Id, table: Id = NO_TABLE): Key {
  return `${databaseArea(database)}f${idBytes(table)}`;
}
