/** The files of a store that several processes of one machine use at once. */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RootDatabase, Transaction } from 'lmdb';
import { invariant } from '../../../base/invariant.js';
import { isPromise, type PromiseOrValue } from '../../../base/promise-or-value.js';
import { AT_ONCE, type Work } from '../../../base/work/work.js';
import type { Clock, Timers } from '../../../env/environment.js';
import { failure, type TesseraError } from '../../../errors/error.js';
import { ArchiveSpace } from '../../archive/archive-space.js';
import { SharedArchive } from '../../archive/shared-archive.js';
import type { Versionstamp } from '../../contract.js';
import { StoredValues } from '../../stored-values.js';
import { FullDiskReport } from '../engine/full-disk-report.js';
import { LargeWriter } from '../engine/large-writer.js';
import { LmdbMetrics } from '../engine/lmdb-metrics.js';
import { commitError, DATA_FILE, LmdbByteView } from '../engine/lmdb-store.js';
import { readersOf } from '../engine/oldest-reader.js';
import type { WriteResult } from '../engine/write-thread.js';
import {
  groupLogKey,
  type LmdbDatabases,
  openDatabases,
  putChange,
  putLog,
  putVersion,
} from '../file/lmdb-databases.js';
import { RECORDS_TREE } from '../file/lmdb-integrity.js';
import { LastTransaction, lockFileOf } from '../file/lmdb-lock-file.js';
import { decodeMetadata, decodeUnsealed, LMDB_FORMAT, type MetadataName } from '../file/lmdb-metadata.js';
import { type SpaceDemand, SpaceReserve } from '../file/lmdb-space.js';
import type { EncodedChange } from '../file/packed-changes.js';
import type { LogSource } from './log-mirror.js';
import { groupOf, type LoggedGroup } from './logged-group.js';

export interface SharedStoreOptions {
  readonly sync: boolean;
  readonly timers: Timers;
  readonly clock: Clock;
  /** The folder in which every write is archived. */
  readonly archive?: string | undefined;
  /** Called for a disk that is full. */
  readonly report?: ((error: TesseraError) => void) | undefined;
}

/** Changes that are written together: one transaction of LMDB, one fsync. */
export interface GroupWrite {
  readonly changes: readonly EncodedChange[];
  readonly result: Required<WriteResult>;
}

/** The store as its lock finds it: no other process writes until the group has been written. */
export interface ExclusiveStore extends LogSource {
  readonly version: number;
  readonly lastStamp: Versionstamp;
}

/**
 * Validates the waiting commits, and returns the changes to write, if any. It may take steps if `work` has checkpoints
 * that wait.
 */
export type GroupValidator = (store: ExclusiveStore, work: Work) => PromiseOrValue<GroupWrite | undefined>;

const LOG_VALUES = new StoredValues(false, () => 'the log of commits');

/** A view that knows which transaction was the last one when it was taken. */
export class SharedView extends LmdbByteView {
  /** Read before the view was taken, so that the view shows that transaction or a later one. */
  readonly lastTransaction: number;

  constructor(databases: LmdbDatabases, transaction: Transaction, lastTransaction: number) {
    super(databases, transaction, false);
    this.lastTransaction = lastTransaction;
  }
}

/**
 * LMDB's lock of writers applies to all processes. It is taken, and the file flushed, on a thread of LMDB's library;
 * the work under it runs in JavaScript.
 */
export class SharedByteStore {
  /** Whether there may be values without checksums, from before there were any. */
  readonly mayBeUnsealed: boolean;
  readonly metrics: LmdbMetrics;
  readonly #space: SpaceReserve;
  readonly #fullDisk: FullDiskReport;
  readonly #archive: { readonly writer: SharedArchive; readonly space: ArchiveSpace } | undefined;
  readonly #databases: LmdbDatabases;
  readonly #last: LastTransaction;
  readonly #large: LargeWriter;
  readonly #work: Work;

  /**
   * The files exist, and have been verified.
   * @throws TesseraError `storage_format`; Error of the system or of the library
   */
  constructor(folder: string, { sync, timers, clock, archive, report }: SharedStoreOptions) {
    this.#fullDisk = new FullDiskReport(report ?? (() => undefined), clock);
    const path = resolve(join(folder, DATA_FILE));
    this.#work = { checkpoint: () => timers.nextRound() };
    this.#databases = openDatabases(path, { sync, readOnly: false, hasLog: true });
    this.metrics = new LmdbMetrics(this.#databases);
    const { root, metadata } = this.#databases;
    try {
      const stored = metadata.get('format');
      const format = stored === undefined ? 'unknown' : decodeUnsealed(stored);
      if (format !== String(LMDB_FORMAT)) throw failure('storage_format', { folder, format, known: LMDB_FORMAT });
      this.mayBeUnsealed = metadata.get('unsealed') !== undefined;
      const readers = readersOf(root);
      readers.forgetDead();
      this.#space = new SpaceReserve(path, RECORDS_TREE, readers);
      const place = archive === undefined ? undefined : { folder: archive, store: this.#stored('store') ?? '' };
      this.#archive = place && { writer: new SharedArchive(place, clock), space: new ArchiveSpace(place.folder) };
      const file = statSync(path, { bigint: true });
      this.#large = new LargeWriter({ path, file, sync, hasLog: true, archive: place }, timers);
      this.#last = openLastTransaction(path, root);
    } catch (error) {
      void root.close();
      throw error;
    }
  }

  /** Adds the space that a change may take to that of others. */
  measure(change: EncodedChange, room: SpaceDemand): void {
    this.#space.measure(change, room);
  }

  /** Reserves space for changes until `written`. @throws TesseraError `storage_full`, with nothing reserved */
  admit(room: SpaceDemand): void {
    this.#fullDisk.admit(() => {
      this.#archive?.space.admit(room);
      this.#space.admit(room);
    });
  }

  /** Admitted changes have been written, or never will be. */
  written(room: SpaceDemand): void {
    this.#space.written(room);
  }

  /** The last transaction that any process has committed: a view that was taken at it shows all commits until now. */
  lastTransaction(): number {
    // The library could be asked, too, with a timer and a round of the loop each time: reads by id took a fifth longer.
    return this.#last.read();
  }

  /** Pins the last committed state; `last` was read before. */
  view(last = this.lastTransaction()): SharedView {
    const { root } = this.#databases;
    root.resetReadTxn();
    return new SharedView(this.#databases, root.useReadTransaction(), last);
  }

  lastStamp(view: LmdbByteView): Versionstamp {
    return BigInt(this.#stored('stamp', view) ?? 0);
  }

  /** The log as a view shows it. */
  logOf(view: LmdbByteView): LogSource {
    return { groups: (after, upTo, visit) => this.#visitGroups(after, upTo, visit, view) };
  }

  /**
   * Writes the changes that `judge` returns, if any. An error of `judge` is thrown, with nothing written.
   * @throws Error of the library
   */
  write(judge: GroupValidator): Promise<void> {
    // The disk of an archive is waited for under the lock: a thread may, this one may not.
    return this.#archive === undefined ? this.#writeHere(judge) : this.writeLarge(judge);
  }

  async #writeHere(judge: GroupValidator): Promise<void> {
    const { root } = this.#databases;
    const written = this.metrics.beginWrite();
    try {
      await root.childTransaction(() => {
        this.#look();
        const write = judge(this.#locked(), AT_ONCE);
        if (write === undefined) return;
        invariant(!isPromise(write), 'a group is judged in one turn');
        const { version, stamp, logged } = write.result;
        this.#archive?.writer.write(write.changes, version, stamp);
        for (const change of write.changes) putChange(this.#databases, change);
        putVersion(this.#databases, version, stamp);
        putLog(this.#databases, version, logged);
      });
      written();
    } catch (error) {
      throw await commitError(error);
    }
  }

  /**
   * The same for many changes, in steps and on a thread of its own, if there is one to be had.
   * @throws Error of the library, or of the system for the archive
   */
  async writeLarge(judge: GroupValidator): Promise<void> {
    const written = this.metrics.beginWrite();
    const isWritten = await this.#large.use(async (thread) => {
      await thread.begin();
      const view = this.view();
      try {
        this.#look();
        const write = await judge(this.#locked(view), this.#work);
        await (write === undefined ? thread.abort() : thread.write(write.changes, write.result));
      } catch (error) {
        await thread.abort();
        throw error;
      } finally {
        view.release();
      }
    });
    if (isWritten) written();
    else await this.#writeHere(judge);
  }

  /** Others have written meanwhile. */
  #look(): void {
    this.#space.look();
    this.#archive?.space.look();
  }

  async close(): Promise<void> {
    await this.#large.close();
    this.#archive?.writer.close();
    await this.#databases.root.close();
    this.#last.close();
    this.#space.close();
  }

  /** Within a write the library reads what is committed; on a thread's behalf a view shows the same. */
  #locked(view?: LmdbByteView): ExclusiveStore {
    return {
      version: Number(this.#stored('version', view) ?? 0),
      lastStamp: BigInt(this.#stored('stamp', view) ?? 0),
      groups: (after, upTo, visit) => this.#visitGroups(after, upTo, visit, view),
    };
  }

  #stored(name: MetadataName, view?: LmdbByteView): string | undefined {
    const { metadata } = this.#databases;
    const bytes = view === undefined ? metadata.get(name) : metadata.get(name, { transaction: view.transaction });
    return bytes === undefined ? undefined : decodeMetadata(name, bytes);
  }

  #visitGroups(after: number, upTo: number, visit: (group: LoggedGroup) => void, view: LmdbByteView | undefined): void {
    const { log } = this.#databases;
    for (let version = after + 1; version <= upTo; version++) {
      const key = groupLogKey(version);
      const bytes = view === undefined ? log?.get(key) : log?.get(key, { transaction: view.transaction });
      if (bytes === undefined) return;
      visit(groupOf(version, LOG_VALUES.decode(key, bytes)));
    }
  }
}

/** How often the number in the lock file is compared with the library's. */
const ATTEMPTS = 1_000;

/** @throws Error of the system, or if the lock file isn't laid out as expected: views would never be renewed */
function openLastTransaction(path: string, root: RootDatabase): LastTransaction {
  const last = new LastTransaction(lockFileOf(path));
  // Other processes commit meanwhile: the library's number is that of the newest meta page, which comes just before.
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = last.read();
    const { lastTxnId } = root.getStats() as { readonly lastTxnId: number };
    if (before <= lastTxnId && lastTxnId <= last.read() + 1) return last;
  }
  last.close();
  throw new Error("the lock file doesn't show the last transaction");
}
