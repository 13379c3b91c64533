/**
 * Checks a file before LMDB's library opens it: the library reads the pages that the meta pages name from a
 * map of the file into memory, so that a page that is missing or damaged ends the process by a signal.
 */
import { existsSync, statSync, truncateSync } from 'node:fs';
import { basename } from 'node:path';
import { failure, type TesseraError } from '../../../errors/error.js';
import { isChecksumRight, sealState } from '../../../value/codecs/sealed-record.js';
import { LmdbFile } from './lmdb-file.js';
import { lockFileOf, readLastTransaction } from './lmdb-lock-file.js';
import {
  decodeMetadata,
  decodeUnsealed,
  isMetadataName,
  KNOWN_LMDB_FORMATS,
  LOGGED_LMDB_FORMAT,
  type MetadataName,
  UNSEALED_LMDB_FORMAT,
} from './lmdb-metadata.js';
import { printable, treeEntries, treesOf, walkPages } from './lmdb-pages.js';

/** The trees of a store; the library ends their names with a zero byte. */
export const RECORDS_TREE = 'records\0';
export const METADATA_TREE = 'about\0';
/** The log of commits, in a store that several processes have used at once. */
const LOG_TREE = 'log\0';
const KNOWN_TREES: ReadonlySet<string> = new Set([RECORDS_TREE, METADATA_TREE, LOG_TREE]);

/** The state of a store, as read without the library. */
export interface StoreFacts {
  /** `undefined` for a store in which nothing was written. */
  readonly format: string | undefined;
  /** Whether values without a checksum may be in it. */
  readonly mayBeUnsealed: boolean;
  /** The log beside it, if it has one: whose it is, and the last of its groups that the file has. */
  readonly log?: { readonly id: string; readonly version: number };
}

export interface FileCheck {
  /** Files up to this size in bytes are read completely, and every page and checksum in them is verified. */
  readonly verifyUpTo: number;
  /** A readable name for an entry. */
  describeKey(key: string): string;
  /** Nothing is written. */
  readonly readOnly?: boolean;
  /** Called for each damaged value: reading it fails, all other data is usable. */
  report(error: TesseraError): void;
}

/**
 * Checks that the data file of a store is LMDB's and complete by its meta pages, or empty, or doesn't exist at
 * all.
 * @throws TesseraError `storage_corrupt`; Error with a text for users, if it isn't LMDB's
 */
export function checkDataFile(path: string, { verifyUpTo, describeKey, report, readOnly }: FileCheck): void {
  withFile(path, readOnly !== true, (file, isShort) => {
    const facts = readFacts(file);
    // The library opens it, and the format is checked then.
    if (facts.format !== undefined && !KNOWN_LMDB_FORMATS.has(facts.format)) return;
    if (!isShort && file.size > verifyUpTo) return;
    const visitor = new ChecksumVisitor(facts, (key, value) => {
      const what = `the checksum of ${describeKey(key)} is wrong`;
      if (hasDamagedKey(key, value)) file.damaged(`${what}, and it lies where another should be`);
      report(failure('storage_corrupt', { what: `${file.name}: ${what}` }));
    });
    walkPages(file, { fault: (what) => file.damaged(what), entry: (...entry) => visitor.entry(...entry) });
  });
}

/** The same for a file without entries. */
export function checkEmptyFile(path: string): void {
  withFile(path, true, (file) => {
    if (file.meta.main.root !== undefined) file.damaged('it should hold nothing');
  });
}

function withFile(path: string, mends: boolean, check: (file: LmdbFile, isShort: boolean) => void): void {
  if (!existsSync(path)) return;
  if (statSync(path).size === 0) {
    mustBeNew(path);
    return;
  }
  const file = new LmdbFile(path);
  try {
    const length = (file.meta.lastPage + 1) * file.meta.pageSize;
    const isShort = file.size < length;
    check(file, isShort);
    // The library doesn't write free pages, so the last ones may be missing. It maps them nevertheless.
    if (isShort && mends) truncateSync(path, length);
  } finally {
    file.close();
  }
}

/** An empty file is a new store, unless its lock file lists transactions. */
function mustBeNew(path: string): void {
  const lock = lockFileOf(path);
  if (!existsSync(lock) || readLastTransaction(lock) === 0) return;
  const what = `${basename(path)} is empty, although there was a store in it; restore it from a backup, or delete ${basename(lock)} to begin anew`;
  throw failure('storage_corrupt', { what });
}

/** @throws TesseraError `storage_corrupt` if the store's metadata is invalid */
export function readFacts(file: LmdbFile): StoreFacts {
  const trees = treesOf(file);
  const header = trees.get(METADATA_TREE);
  const metadata = header === undefined ? new Map<string, Uint8Array>() : treeEntries(file, header, METADATA_TREE);
  const stored = metadata.get('format');
  const format = stored === undefined ? undefined : decodeUnsealed(stored);
  // The content of an unknown format can't be verified.
  if (format !== undefined && !KNOWN_LMDB_FORMATS.has(format)) return { format, mayBeUnsealed: true };
  for (const name of trees.keys()) {
    if (!KNOWN_TREES.has(name)) file.damaged(`there is a tree "${printable(name)}"`);
  }
  for (const name of metadata.keys())
    if (!isMetadataName(name)) file.damaged(`the store says "${printable(name)}" of itself`);
  if (format === undefined) {
    if ((trees.get(RECORDS_TREE)?.entries ?? 0) > 0 || metadata.size > 0) file.damaged('the store has no format');
    return { format, mayBeUnsealed: false };
  }
  if (!trees.has(RECORDS_TREE)) file.damaged('there are no records');
  if (format === String(UNSEALED_LMDB_FORMAT)) return { format, mayBeUnsealed: true };
  for (const [name, bytes] of metadata) if (isMetadataName(name)) decodeMetadata(name, bytes);
  const mayBeUnsealed = metadata.has('unsealed');
  if (format !== String(LOGGED_LMDB_FORMAT)) return { format, mayBeUnsealed };
  const text = (name: MetadataName) => {
    const bytes = metadata.get(name);
    return bytes && decodeMetadata(name, bytes);
  };
  return { format, mayBeUnsealed, log: { id: text('store') ?? '', version: Number(text('version') ?? 0) } };
}

/** Finds values whose checksum isn't right. */
export class ChecksumVisitor {
  readonly #mayBeUnsealed: boolean;
  readonly #damaged: (key: string, value: Uint8Array) => void;

  constructor({ mayBeUnsealed }: StoreFacts, damaged: (key: string, value: Uint8Array) => void) {
    this.#mayBeUnsealed = mayBeUnsealed;
    this.#damaged = damaged;
  }

  entry(tree: string, key: string, value: Uint8Array): void {
    if (tree !== RECORDS_TREE) return;
    const state = sealState(key, value);
    if (state === 'wrong' || (state === 'none' && !this.#mayBeUnsealed)) this.#damaged(key, value);
  }
}

/** Maximum number of bytes to hash to find the error in a key. */
const MAX_GUESSED = 2 ** 28;

/**
 * Whether a checksum that is wrong would be right if one byte of the key were another: then a read of the stored key
 * would find nothing, which is worse than an error. A key that would take long to find counts as damaged.
 */
function hasDamagedKey(key: string, value: Uint8Array): boolean {
  if (key.length * 255 * (value.length + key.length) > MAX_GUESSED) return true;
  for (let at = 0; at < key.length; at++) {
    for (let byte = 0; byte < 256; byte++) {
      const guess = key.slice(0, at) + String.fromCharCode(byte) + key.slice(at + 1);
      if (isChecksumRight(guess, value)) return true;
    }
  }
  return false;
}
