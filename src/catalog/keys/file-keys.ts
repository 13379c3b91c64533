/**
 * The keys of the files of buckets. Everything of a bucket is one contiguous range, under its identity:
 *
 *     D db p bucket f key             a file
 *     D db p bucket c content chunk   a piece of a content that is kept in the store
 *     D db p bucket n content         how many files have a content, if that isn't one
 *     D db p bucket o due content     a content to be deleted unless a file gets it, by when it is due
 *     D db p bucket u upload          an upload that comes in several requests
 *     D db p bucket b holder upload     an upload of a user that isn't over
 *     D db p bucket j content         the parts of a content that is made of others
 *     D db p bucket w content         a content that is being deleted where the bytes are
 *
 * and outside of databases, so that they are found, and found again when the database is gone:
 *
 *     F b db                          a database that has had buckets
 *     F r bucket                      a bucket that was removed, whose bytes are to be deleted
 */
import type { Key, KeyRange } from '../../storage/contract.js';
import { ID_LENGTH, type Id, idAt, idBytes, nameBytes, prefixRange } from './key-bytes.js';
import { databaseArea } from './store-keys.js';

/** Characters of the identity of a bucket, and of the id of a content. */
export const BUCKET_IDENTITY_LENGTH = 20;
const CONTENT_LENGTH = 32;

/** The keys of one bucket. */
export class BucketKeys {
  /** All of it. */
  readonly all: KeyRange;
  readonly files: KeyRange;
  readonly allChunks: KeyRange;
  /** Contents by when they are due. */
  readonly due: KeyRange;
  readonly uploads: KeyRange;
  readonly withdrawn: KeyRange;
  /** Contents that are made of others. */
  readonly allJoined: KeyRange;
  readonly #prefix: string;

  constructor(database: Id, identity: string) {
    this.#prefix = `${databaseArea(database)}p${identity}`;
    this.all = prefixRange(this.#prefix);
    this.files = prefixRange(`${this.#prefix}f`);
    this.allChunks = prefixRange(`${this.#prefix}c`);
    this.due = prefixRange(`${this.#prefix}o`);
    this.uploads = prefixRange(`${this.#prefix}u`);
    this.withdrawn = prefixRange(`${this.#prefix}w`);
    this.allJoined = prefixRange(`${this.#prefix}j`);
  }

  file(key: string): Key {
    return `${this.#prefix}f${nameBytes(key)}`;
  }

  /** The files whose keys begin with a prefix and, if `after` is given, come after that key. */
  filesFrom(prefix: string, after: string | undefined): KeyRange {
    const { from, to } = prefixRange(`${this.#prefix}f${nameBytes(prefix).slice(0, -1)}`);
    const behind = after === undefined ? from : `${this.file(after)}\0`;
    return { from: behind > from ? behind : from, to };
  }

  chunk(content: string, index: number): Key {
    return `${this.#prefix}c${content}${idBytes(index)}`;
  }

  chunks(content: string): KeyRange {
    return prefixRange(`${this.#prefix}c${content}`);
  }

  contentOfChunk(key: Key): string {
    return key.slice(-CONTENT_LENGTH - ID_LENGTH, -ID_LENGTH);
  }

  shares(content: string): Key {
    return `${this.#prefix}n${content}`;
  }

  /** `due` in nanoseconds since 1970. */
  dueAt(due: bigint, content: string): Key {
    let time = '';
    for (let shift = 56n; shift >= 0n; shift -= 8n) time += String.fromCharCode(Number((due >> shift) & 0xffn));
    return `${this.#prefix}o${time}${content}`;
  }

  /** Contents that are due by a time. */
  dueBy(now: bigint): KeyRange {
    return { from: this.due.from, to: this.dueAt(now, '') };
  }

  upload(id: string): Key {
    return `${this.#prefix}u${id}`;
  }

  uploadOf(holder: string, id: string): Key {
    return `${this.#prefix}b${nameBytes(holder)}${id}`;
  }

  uploadsOf(holder: string): KeyRange {
    return prefixRange(this.uploadOf(holder, ''));
  }

  withdraw(content: string): Key {
    return `${this.#prefix}w${content}`;
  }

  joined(content: string): Key {
    return `${this.#prefix}j${content}`;
  }

  /** The content in a key of `dueAt`, `withdraw` or `joined`. */
  contentIn(key: Key): string {
    return key.slice(-CONTENT_LENGTH);
  }

  /** Whether a text can be the id of a content. */
  static isContent(text: string): boolean {
    return text.length === CONTENT_LENGTH && /^[0-9a-f]+$/.test(text);
  }
}

const DATABASES = 'Fb';
const REMOVED = 'Fr';

/** Marks a database that has had buckets. */
export function bucketDatabaseKey(database: Id): Key {
  return DATABASES + idBytes(database);
}

export const BUCKET_DATABASES: KeyRange = prefixRange(DATABASES);

/** The database in a key of `bucketDatabaseKey`. */
export function databaseOfBuckets(key: Key): Id {
  return idAt(key, DATABASES.length);
}

/** A bucket that was removed, with its backend: `[database, backend]`. */
export function removedBucketKey(identity: string): Key {
  return REMOVED + identity;
}

export const REMOVED_BUCKETS: KeyRange = prefixRange(REMOVED);

/** The identity in a key of `removedBucketKey`. */
export function removedBucketIn(key: Key): string {
  return key.slice(REMOVED.length);
}
