/**
 * Deletes the bytes that no file has: of uploads that were never put, of files that were deleted or replaced, and of
 * buckets that were removed.
 */
import type { BucketDefinition } from '../../catalog/definitions/definition.js';
import { readDefinition, rowOf } from '../../catalog/definitions/stored-definition.js';
import { entriesOf } from '../../catalog/entries.js';
import {
  BUCKET_DATABASES,
  BucketKeys,
  databaseOfBuckets,
  REMOVED_BUCKETS,
  removedBucketIn,
} from '../../catalog/keys/file-keys.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import { databaseArea, definitionRange } from '../../catalog/keys/store-keys.js';
import { contentAddressOf, readContentAddress } from '../../files/contents/address.js';
import type { BucketPlace, ContentStores } from '../../files/contents/content-stores.js';
import { stagedSize } from '../../files/contents/staged.js';
import { readFileRow } from '../../files/file-row.js';
import { deleteUploadRow, readUploadRow } from '../../files/uploads/upload-row.js';
import type { Entry, Key, KeyRange, Transaction } from '../../storage/contract.js';
import { isConflict, withRetries } from '../../storage/retry.js';
import { BackgroundRounds, type BackgroundServices } from './background-rounds.js';
import { LeaseLost, underLease } from './lease.js';

/** Milliseconds between two rounds. */
const INTERVAL = 60_000;
/** Contents that are withdrawn in one transaction. */
const AT_ONCE = 100;

/** Contents of a bucket that are counted as waiting, at most. */
const MOST_COUNTED = 10_000;

/** What isn't a file, and is deleted if it becomes none. */
export interface PendingContents {
  /** Uploads in several requests that aren't complete. */
  uploads: number;
  /** Of uploads and of deleted files. */
  bytes: number;
}

export interface FileSweeperServices extends BackgroundServices {
  readonly contents: ContentStores;
}

export class FileSweeper {
  readonly #services: FileSweeperServices;
  readonly #rounds: BackgroundRounds;
  /** Buckets in memory whose rows of former processes are gone. */
  readonly #cleared = new Set<string>();
  #pending: PendingContents = { uploads: 0, bytes: 0 };

  constructor(services: FileSweeperServices) {
    this.#services = services;
    const { environment, report, leases, measure } = services;
    const options = { interval: INTERVAL, startsSoon: false, lease: leases, measure };
    this.#rounds = new BackgroundRounds(environment, () => this.sweep(), report, options);
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** As of the last round, of the databases that this server sweeps. */
  get pending(): PendingContents {
    return this.#pending;
  }

  /** A round. A bucket whose bytes can't be reached doesn't hold up the others. */
  async sweep(): Promise<void> {
    const pending = { uploads: 0, bytes: 0 };
    for (const [key, stored] of await this.#read(REMOVED_BUCKETS)) {
      const { database, name, backend } = rowOf(stored);
      const address = readContentAddress(typeof backend === 'string' ? backend : 'database');
      const place = { database: Number(database), name: String(name), identity: removedBucketIn(key), address };
      await this.#try(place.database, () => this.#clear(place, key));
    }
    for (const [key] of await this.#read(BUCKET_DATABASES)) {
      const database = databaseOfBuckets(key);
      for (const bucket of await this.#bucketsOf(database)) {
        if (this.#rounds.mustEnd) return;
        const { identity, name } = bucket;
        await this.#try(database, () =>
          this.#sweepBucket({ database, identity, name, address: contentAddressOf(bucket) }, pending),
        );
      }
    }
    this.#pending = pending;
  }

  async #bucketsOf(database: Id): Promise<BucketDefinition[]> {
    const stored = await this.#read(definitionRange(databaseArea(database), 'bucket'));
    return stored.map(([, definition]) => readDefinition('define-bucket', definition));
  }

  async #read(range: KeyRange): Promise<Entry[]> {
    const transaction = await this.#services.engine.begin({ writable: false });
    try {
      return await entriesOf(transaction, range);
    } finally {
      transaction.cancel();
    }
  }

  async #try(database: Id, work: () => Promise<void>): Promise<void> {
    if (this.#services.leases?.of(database).isHeld === false) return;
    try {
      await work();
    } catch (error) {
      if (!isConflict(error) && !(error instanceof LeaseLost)) this.#rounds.fail(error);
    }
  }

  async #clear(place: BucketPlace, key: Key): Promise<void> {
    const { contents } = this.#services;
    if (place.address.kind !== 'database') await contents.of(place).clear();
    await contents.of({ ...place, address: { kind: 'database' } }).clear();
    await this.#change(place.database, (transaction) => transaction.delete(key));
  }

  async #sweepBucket(place: BucketPlace, pending: PendingContents): Promise<void> {
    const keys = new BucketKeys(place.database, place.identity);
    if (place.address.kind === 'memory') await this.#forgetFormer(place, keys);
    await this.#deleteWithdrawn(place, keys);
    while (await this.#withdrawDue(place, keys)) await this.#deleteWithdrawn(place, keys);
    pending.uploads += await this.#forgetUploads(place, keys);
    pending.bytes += await this.#waitingBytes(keys);
  }

  /** Bytes of contents that no file has, and that aren't due yet or couldn't be deleted. */
  async #waitingBytes({ due }: BucketKeys): Promise<number> {
    const transaction = await this.#services.engine.begin({ writable: false });
    try {
      const cursor = transaction.scan(due, { limit: MOST_COUNTED });
      let bytes = 0;
      for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next())
        for (const [, note] of batch) bytes += stagedSize(note);
      return bytes;
    } finally {
      transaction.cancel();
    }
  }

  /** Uploads that are over; their parts are due at the same time. Returns how many aren't, and have no file yet. */
  async #forgetUploads({ database }: BucketPlace, keys: BucketKeys): Promise<number> {
    const now = this.#services.environment.clock.now();
    let open = 0;
    for (const [, stored] of await this.#read(keys.uploads)) {
      const upload = readUploadRow(stored);
      if (upload.expires > now) open += upload.isPut ? 0 : 1;
      else await this.#change(database, (transaction) => deleteUploadRow(transaction, keys, upload));
    }
    return open;
  }

  /**
   * Takes contents that are due, so that no transaction can use them; only then their bytes are deleted.
   * Returns whether there were any.
   */
  #withdrawDue({ database }: BucketPlace, keys: BucketKeys): Promise<boolean> {
    const due = keys.dueBy(this.#services.environment.clock.now());
    return this.#change(database, async (transaction) => {
      const cursor = transaction.scan(due, { limit: AT_ONCE, foundOnly: true });
      let found = false;
      for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) {
        for (const [key] of batch) {
          transaction.delete(key);
          transaction.put(keys.withdraw(keys.contentIn(key)), true);
        }
        found = true;
      }
      return found;
    });
  }

  async #deleteWithdrawn(place: BucketPlace, keys: BucketKeys): Promise<void> {
    const contents = this.#services.contents.of(place);
    for (const [key] of await this.#read(keys.withdrawn)) {
      await contents.delete(keys.contentIn(key));
      await this.#change(place.database, (transaction) => transaction.delete(key));
    }
  }

  /** The files of a process that has ended, whose bytes were in its memory; not while others may have theirs. */
  async #forgetFormer(place: BucketPlace, keys: BucketKeys): Promise<void> {
    if (this.#services.leases !== undefined || this.#cleared.has(place.identity)) return;
    const files = await this.#read(keys.files);
    const former = files.filter(([, stored]) => readFileRow(stored).process !== this.#services.contents.process);
    for (const [key] of former) await this.#change(place.database, (transaction) => transaction.delete(key));
    this.#cleared.add(place.identity);
  }

  async #change<T>(database: Id, work: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    const { engine, leases } = this.#services;
    return withRetries(engine, (transaction) => underLease(leases?.of(database), transaction, () => work(transaction)));
  }
}
