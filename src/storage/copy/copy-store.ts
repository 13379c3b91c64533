/**
 * Copies of whole stores, key by key, from one engine to another.
 *
 * The target has a marker while it is incomplete, which each commit of the copy advances, so that a copy that was
 * interrupted continues where it stopped; nothing else opens a store with a marker. Values are decoded by the source,
 * which verifies them, and encoded by the target as its format wants.
 */
import { createHash } from 'node:crypto';
import { invariant } from '../../base/invariant.js';
import { failure } from '../../errors/error.js';
import { encodeRecord } from '../../value/codecs/record-encode.js';
import type { CopySupport, Engine, Entry, Key, KeyRange, Transaction } from '../contract.js';
import { assertNoCopy, COPY_MARKER, type CopyPosition, decodePosition, encodePosition } from './copy-marker.js';

/** A commit of the copy has no more entries, nor more bytes beyond the last of them. */
const MOST_ENTRIES = 4_096;
const MOST_BYTES = 4 * 1024 * 1024;

/** Longer than the keys of any engine that limits them. */
const EVERYTHING: KeyRange = { from: '', to: '\xff'.repeat(2_000) };

export interface CopyEnds {
  readonly from: Engine;
  readonly to: Engine;
  /** Names the source in the marker: only a copy of the same source continues. */
  readonly source: string;
  /** Keys that aren't copied, since they are meaningless elsewhere. */
  readonly isLeftOut: (key: Key) => boolean;
}

export interface CopyProgress {
  /** Bytes of keys and values that were read of the source. */
  copied(bytes: number): void;
  /** All entries are copied; those of the target are now compared with `summary`. */
  verifying(summary: StoreSummary): void;
  verified(bytes: number): void;
}

/**
 * Copies the entries of a store to one that is empty or has an unfinished copy of it, raises the versionstamps of the
 * target beyond those of the source, and verifies the target. The source is one snapshot, and isn't changed.
 * @throws TesseraError `copy_target_not_empty`, `copy_source_changed`, `copy_incomplete` for a source that is itself
 * an unfinished copy, `copy_differs`, `key_too_long`; those of the storage, after which it can be called again
 */
export async function copyStore(ends: CopyEnds, progress: CopyProgress): Promise<StoreSummary> {
  const source = supportOf(ends.from);
  const target = supportOf(ends.to);
  // Before the snapshot: what is committed between the two is noticed by the next attempt, if there is one.
  const revision = await source.revision();
  const snapshot = await ends.from.begin({ writable: false });
  try {
    await assertNoCopy(snapshot);
    const begun = await beginCopy(ends, { source: ends.source, revision, last: '' });
    const copied = await copyEntries(snapshot, ends.isLeftOut, new CopyWriter(ends.to, begun), progress);
    await target.raiseStamp(await source.lastStamp());
    progress.verifying(copied);
    await verify(ends.to, copied, progress);
    await endCopy(ends.to);
    return copied;
  } finally {
    snapshot.cancel();
  }
}

function supportOf(engine: Engine): CopySupport {
  invariant(engine.copying !== undefined, `stores of ${engine.name} can be copied`);
  return engine.copying;
}

/** Where the copy begins: after the last key of an interrupted one. */
async function beginCopy({ to }: CopyEnds, wanted: CopyPosition): Promise<CopyPosition> {
  const transaction = await to.begin({ writable: true });
  try {
    const marker = await transaction.get(COPY_MARKER);
    if (marker !== undefined) {
      const begun = decodePosition(marker);
      if (begun.source === wanted.source && begun.revision === wanted.revision) return begun;
      throw failure('copy_source_changed', { begun: begun.source, wanted: wanted.source });
    }
    const cursor = transaction.scan(EVERYTHING, { limit: 1 });
    const found = await cursor.next();
    cursor.close();
    if (found !== undefined) throw failure('copy_target_not_empty');
    transaction.put(COPY_MARKER, encodePosition(wanted));
    await transaction.commit();
    return wanted;
  } finally {
    transaction.cancel();
  }
}

async function endCopy(to: Engine): Promise<void> {
  const transaction = await to.begin({ writable: true });
  transaction.delete(COPY_MARKER);
  await transaction.commit();
}

/** All of the source is read, for its checksum, even if a part of it was copied before. */
async function copyEntries(
  snapshot: Transaction,
  isLeftOut: CopyEnds['isLeftOut'],
  writer: CopyWriter,
  progress: CopyProgress,
): Promise<StoreSummary> {
  const digest = new StoreDigest();
  for await (const batch of batchesOf(snapshot)) {
    let bytes = 0;
    for (const [key, value] of batch) {
      if (isLeftOut(key)) continue;
      const encoded = encodeRecord(value);
      digest.add(key, encoded);
      bytes += key.length + encoded.length;
      if (writer.add([key, value], key.length + encoded.length)) await writer.write();
    }
    progress.copied(bytes);
  }
  await writer.write();
  await writer.end();
  return digest.result();
}

/** Collects entries to commits of a good size, of which one is under way while the next is read. */
class CopyWriter {
  readonly #to: Engine;
  #position: CopyPosition;
  #entries: Entry[] = [];
  #bytes = 0;
  #underWay: Promise<void> = Promise.resolve();

  constructor(to: Engine, begun: CopyPosition) {
    this.#to = to;
    this.#position = begun;
  }

  /** Whether there are enough for a commit. */
  add(entry: Entry, bytes: number): boolean {
    if (entry[0] <= this.#position.last) return false;
    this.#entries.push(entry);
    this.#bytes += bytes;
    return this.#entries.length >= MOST_ENTRIES || this.#bytes >= MOST_BYTES;
  }

  /** Waits for the commit before. */
  async write(): Promise<void> {
    await this.#underWay;
    const entries = this.#entries;
    const last = entries.at(-1);
    if (last === undefined) return;
    const before = this.#position;
    this.#position = { ...before, last: last[0] };
    this.#entries = [];
    this.#bytes = 0;
    this.#underWay = this.#commit(entries, before, this.#position);
    // Its failure is reported where it is awaited next.
    this.#underWay.catch(() => undefined);
  }

  end(): Promise<void> {
    return this.#underWay;
  }

  async #commit(entries: readonly Entry[], before: CopyPosition, after: CopyPosition): Promise<void> {
    const transaction = await this.#to.begin({ writable: true });
    try {
      const marker = await transaction.get(COPY_MARKER);
      // Another process continues the same copy.
      if (marker === undefined || decodePosition(marker).last !== before.last) throw failure('transaction_conflict');
      for (const [key, value] of entries) transaction.put(key, value);
      transaction.put(COPY_MARKER, encodePosition(after));
      await transaction.commit();
    } finally {
      transaction.cancel();
    }
  }
}

/** Reads the target again. */
async function verify(to: Engine, expected: StoreSummary, progress: CopyProgress): Promise<void> {
  const digest = new StoreDigest();
  const snapshot = await to.begin({ writable: false });
  try {
    for await (const batch of batchesOf(snapshot)) {
      let bytes = 0;
      for (const [key, value] of batch) {
        if (key === COPY_MARKER) continue;
        const encoded = encodeRecord(value);
        digest.add(key, encoded);
        bytes += key.length + encoded.length;
      }
      progress.verified(bytes);
    }
  } finally {
    snapshot.cancel();
  }
  const found = digest.result();
  if (found.entries !== expected.entries || found.sha256 !== expected.sha256) {
    throw failure('copy_differs', { expected: textOf(expected), found: textOf(found) });
  }
}

function textOf({ entries, sha256 }: StoreSummary): string {
  return `${entries} entries, sha256 ${sha256}`;
}

async function* batchesOf(snapshot: Transaction): AsyncGenerator<readonly Entry[]> {
  const cursor = snapshot.scan(EVERYTHING, { batch: 1_024 });
  try {
    for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) yield batch;
  } finally {
    cursor.close();
  }
}

/** The number of a store's entries, their size, and a checksum over all of them in the order of their keys. */
class StoreDigest {
  readonly #hash = createHash('sha256');
  #entries = 0;
  #bytes = 0;

  /** `encoded` is the value as `encodeRecord` gives it, the same for all engines. */
  add(key: Key, encoded: Uint8Array): void {
    const lengths = Buffer.allocUnsafe(8);
    lengths.writeUInt32LE(key.length, 0);
    lengths.writeUInt32LE(encoded.length, 4);
    this.#hash.update(lengths).update(key, 'latin1').update(encoded);
    this.#entries++;
    this.#bytes += key.length + encoded.length;
  }

  result(): StoreSummary {
    return { entries: this.#entries, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}

interface StoreSummary {
  readonly entries: number;
  /** Of keys and encoded values. */
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}
