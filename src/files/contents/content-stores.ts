/** The contents of every bucket, by its backend; and contents that are stored before a transaction puts their file. */
import { createHash, type Hash } from 'node:crypto';
import { join } from 'node:path';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { MemoryScope } from '../../base/work/memory-scope.js';
import { generateSecret } from '../../catalog/credentials/secret.js';
import { BUCKET_IDENTITY_LENGTH, BucketKeys } from '../../catalog/keys/file-keys.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import type { Environment } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import { uuidV7 } from '../../functions/identifiers.js';
import type { Engine, Transaction } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';
import type { S3Environment, S3Settings } from '../../storage/s3/s3-address.js';
import type { ContentAddress, S3Location } from './address.js';
import { ChunkedContents } from './chunks.js';
import type { Contents } from './contents.js';
import { allowedFolder, FolderContents, namesInFolder } from './folder.js';
import { JoinedContents } from './joined.js';
import { MemoryContents } from './memory.js';
import { RunningDigests } from './running-digests.js';
import { S3Contents } from './s3.js';
import { type StagedContent, storeStaged, type Upload, type UploadMoment } from './staged.js';
import { UploadsAtOnce } from './uploads-at-once.js';

export interface FileOptions {
  /** Folders in which the folders of `file:` backends must lie. */
  readonly folders: readonly string[];
  /** Object stores in which those of `s3:` backends must lie, and the credentials for all of them. */
  readonly objectStores: readonly S3Location[];
  readonly s3: S3Environment;
  /** Bytes that the files of buckets in memory may take together. */
  readonly memory: number;
}

/** No folders, no object stores. */
export const NO_BACKENDS: Omit<FileOptions, 'memory'> = {
  folders: [],
  objectStores: [],
  s3: { credentials: undefined, endpoint: undefined, region: '' },
};

/** A bucket, as its bytes need to know it. */
export interface BucketPlace {
  readonly database: Id;
  readonly identity: string;
  readonly name: string;
  readonly address: ContentAddress;
}

const IDENTITY = new RegExp(`^[A-Za-z0-9]{${BUCKET_IDENTITY_LENGTH}}$`);
/** Nanoseconds in which a content that is stored must be put. */
const STAGED = 3_600_000_000_000n;

export class ContentStores {
  /** Names this process in the rows of files that it has in memory. */
  readonly process: string;
  readonly digests = new RunningDigests();
  readonly #engine: Engine;
  readonly #environment: Environment;
  readonly #options: FileOptions;
  readonly #memory: MemoryScope;
  readonly #uploads = new UploadsAtOnce();
  readonly #durableFolders = new Set<string>();
  readonly #inMemory = new Map<string, MemoryContents>();

  constructor(engine: Engine, environment: Environment, options: FileOptions) {
    this.#engine = engine;
    this.#environment = environment;
    this.#options = options;
    this.#memory = new MemoryScope(options.memory, (limit) =>
      failure('file_too_large', { most: limit, setting: '--max-bucket-memory' }),
    );
    this.process = generateSecret(environment.random, BUCKET_IDENTITY_LENGTH);
  }

  /** The contents of a bucket. Nothing is opened yet. */
  of(place: BucketPlace): Contents {
    const { database, identity, name } = place;
    return new JoinedContents(this.#backendOf(place), this.#engine, new BucketKeys(database, identity), name);
  }

  #backendOf({ address, database, identity, name }: BucketPlace): Contents {
    switch (address.kind) {
      case 'database':
        return new ChunkedContents(this.#engine, new BucketKeys(database, identity), name);
      case 'memory': {
        let contents = this.#inMemory.get(identity);
        if (contents === undefined) {
          contents = new MemoryContents(this.#memory, name);
          this.#inMemory.set(identity, contents);
        }
        return contents;
      }
      case 'folder':
        return new FolderContents(
          async () => join(await allowedFolder(address.folder, this.#options.folders), identity),
          name,
          this.#durableFolders,
        );
      case 's3': {
        const settings = this.#s3SettingsOf(address);
        return new S3Contents({ ...settings, prefix: `${settings.prefix}${identity}/` }, name);
      }
    }
  }

  /** @throws TesseraError `bucket_denied` for a folder that isn't allowed */
  async assertUsable(address: ContentAddress): Promise<void> {
    if (address.kind === 'folder') await allowedFolder(address.folder, this.#options.folders);
    if (address.kind === 's3') this.#s3SettingsOf(address);
  }

  /** @throws TesseraError `bucket_denied` for a store that isn't allowed, or without credentials */
  #s3SettingsOf(address: S3Location): S3Settings {
    const { objectStores, s3 } = this.#options;
    const settled = (location: S3Location) => ({
      ...location,
      endpoint: location.endpoint ?? s3.endpoint,
      region: location.region ?? s3.region,
    });
    const wanted = settled(address);
    const isAllowed = objectStores
      .map(settled)
      .some(
        ({ bucket, prefix, endpoint }) =>
          bucket === wanted.bucket && endpoint === wanted.endpoint && wanted.prefix.startsWith(prefix),
      );
    if (!isAllowed || s3.credentials === undefined)
      throw failure('bucket_denied', { backend: `s3://${address.bucket}/${address.prefix}` });
    return { ...wanted, ...s3.credentials };
  }

  /** How many contents are being stored. */
  get uploads(): number {
    return this.#uploads.count;
  }

  /** Identities of buckets that have a folder at an address, of whatever store. @throws TesseraError `bucket_denied` */
  async identitiesAt(address: ContentAddress): Promise<readonly string[]> {
    const found: string[] = [];
    if (address.kind === 'folder')
      found.push(...(await namesInFolder(await allowedFolder(address.folder, this.#options.folders))));
    if (address.kind === 's3')
      for await (const name of new S3Contents(this.#s3SettingsOf(address), '').folders()) found.push(name);
    return found.filter((name) => IDENTITY.test(name));
  }

  get now(): bigint {
    return this.#environment.clock.now();
  }

  /** Changes what the store knows of contents, in a transaction of its own. */
  async change(work: (transaction: Transaction) => PromiseOrValue<void>): Promise<void> {
    await withRetries(this.#engine, work);
  }

  /** What the store knows of contents by now. */
  async see<T>(look: (transaction: Transaction) => PromiseOrValue<T>): Promise<T> {
    const transaction = await this.#engine.begin({ writable: false });
    try {
      return await look(transaction);
    } finally {
      transaction.cancel();
    }
  }

  drawContent(): string {
    return uuidV7(Number(this.now / 1_000_000n), this.#environment.random).text.replaceAll('-', '');
  }

  /**
   * Stores a content that a transaction then puts; one that isn't put within an hour is deleted.
   * @throws TesseraError as `store`
   */
  async stage(place: BucketPlace, bytes: AsyncIterable<Uint8Array>, upload: Upload): Promise<StagedContent> {
    const staged = await this.store(place, bytes, upload, this.now + STAGED);
    try {
      await this.offer(place, staged, upload.holder);
      return staged;
    } catch (error) {
      await this.discard(place, staged).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Stores a content that is deleted when it is due, unless it is offered and put before. A note of it is durable
   * before the first byte, so that nothing is left behind whenever the process ends. The digest is that of all that
   * `hash` has had.
   * @throws TesseraError `file_too_large`, `bucket_store`, `too_many_uploads`, and what `bytes` throws
   */
  store(
    place: BucketPlace,
    bytes: AsyncIterable<Uint8Array>,
    upload: Upload,
    due: bigint,
    hash?: Hash,
  ): Promise<StagedContent> {
    return this.#uploads.run(upload.holder, () => this.#store(place, bytes, upload, due, hash));
  }

  async #store(
    place: BucketPlace,
    bytes: AsyncIterable<Uint8Array>,
    { holder, limit }: Upload,
    due: bigint,
    hash = createHash('sha256'),
  ): Promise<StagedContent> {
    const content = this.drawContent();
    const key = new BucketKeys(place.database, place.identity).dueAt(due, content);
    await this.change((transaction) => transaction.put(key, storeStaged({ holder })));
    let size = 0;
    const counted = async function* () {
      for await (const piece of bytes) {
        size += piece.length;
        if (size > limit.bytes) throw failure('file_too_large', { most: limit.bytes, setting: limit.setting });
        hash.update(piece);
        yield piece;
      }
    };
    try {
      await this.of(place).write(content, counted());
      return { content, due, size, digest: new Uint8Array(hash.copy().digest()) };
    } catch (error) {
      // An object store may do late what it hasn't answered: the note stays, and the sweeper deletes once more.
      if (place.address.kind === 's3')
        await this.of(place)
          .delete(content)
          .catch(() => undefined);
      else await this.discard(place, { content, due }).catch(() => undefined);
      throw error;
    }
  }

  /** From now on a file can get a stored content. `of`: it is that of an upload, which then is over. */
  async offer(place: BucketPlace, staged: StagedContent, holder: string, of?: UploadMoment): Promise<void> {
    const { content, due, size, digest } = staged;
    const key = new BucketKeys(place.database, place.identity).dueAt(due, content);
    await this.change(async (transaction) => {
      // The sweeper may have taken it.
      if ((await transaction.get(key)) === undefined) throw failure('file_upload_over');
      transaction.put(key, storeStaged({ holder, size, digest, of }));
    });
  }

  /** Deletes a content that won't be put. What fails here is done by the sweeper. */
  async discard(place: BucketPlace, { content, due }: Pick<StagedContent, 'content' | 'due'>): Promise<void> {
    await this.of(place).delete(content);
    const key = new BucketKeys(place.database, place.identity).dueAt(due, content);
    await this.change((transaction) => transaction.delete(key));
  }
}
