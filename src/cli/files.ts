/** `tessera files check`: the files of a store beside their bytes, wherever those are. */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { entriesOf } from '../catalog/entries.js';
import { describeKey } from '../catalog/keys/describe-key.js';
import { REMOVED_BUCKETS, removedBucketIn } from '../catalog/keys/file-keys.js';
import { realEnvironment } from '../env/real.js';
import { asTesseraError } from '../errors/error.js';
import { type BucketFaults, checkBucket, repairBucket } from '../files/check/check-bucket.js';
import { unreferencedFiles } from '../files/check/unreferenced.js';
import type { ContentAddress } from '../files/contents/address.js';
import { ContentStores } from '../files/contents/content-stores.js';
import { ConfigurationError, readList } from '../server/setting.js';
import { readObjectStores } from '../server/settings/access.js';
import { readStoreAddress } from '../storage/address.js';
import type { Engine } from '../storage/contract.js';
import { DATA_FILE } from '../storage/lmdb/engine/lmdb-store.js';
import { openEngine } from '../storage/open/open.js';
import { readS3Environment } from '../storage/s3/s3-address.js';
import { bucketsIn, type StoredBucket } from './buckets.js';

export interface FilesCheckOptions {
  readonly repair?: boolean;
  readonly json?: boolean;
  readonly allowBucketFolders?: string;
  readonly allowObjectStores?: string;
}

interface Checked extends Omit<BucketFaults, 'missing'> {
  readonly bucket: string;
  /** Keys of files. */
  readonly missing: readonly string[];
  /** Keys of files to which no field refers, where fields refer to the bucket. They may be wanted all the same. */
  readonly unreferenced: readonly string[];
  /** Why its bytes can't be reached. */
  readonly failure?: string;
  readonly repaired: boolean;
}

/**
 * Returns whether everything is sound, at the end.
 * @throws TesseraError as `openEngine`; ConfigurationError for a store in memory, or options that can't be read; Error
 * of the system, such as that there is no such folder
 */
export async function runFilesCheck(
  address: string,
  options: FilesCheckOptions,
  output: NodeJS.WritableStream,
): Promise<boolean> {
  const { engine: kind, path } = readStoreAddress(address);
  if (kind === 'memory') throw new ConfigurationError('A store in memory ends with its process');
  // Opening a store would make one.
  if (kind === 'lmdb') statSync(join(path, DATA_FILE));
  const repairs = options.repair === true;
  const engine = await openEngine(address, { describeKey, exclusive: true, readOnly: !repairs });
  try {
    const stores = new ContentStores(engine, realEnvironment, {
      folders: readList(options.allowBucketFolders ?? ''),
      objectStores: readObjectStores(options.allowObjectStores ?? ''),
      s3: readS3Environment(process.env),
      memory: 0,
    });
    const checked: Checked[] = [];
    const buckets = await bucketsIn(engine);
    for (const bucket of buckets) checked.push(await checkOne(engine, stores, bucket, repairs));
    const unknown = await unknownFolders(engine, stores, buckets, options);
    output.write(
      options.json === true ? `${JSON.stringify({ buckets: checked, unknown })}\n` : asText(checked, unknown),
    );
    return checked.every(isSound);
  } finally {
    await engine.close();
  }
}

/**
 * Where there are bytes of buckets that the store doesn't know, beside those of its own and where these may be. Another
 * store may have them, so that nothing is deleted.
 */
async function unknownFolders(
  engine: Engine,
  stores: ContentStores,
  buckets: readonly StoredBucket[],
  { allowBucketFolders = '', allowObjectStores = '' }: FilesCheckOptions,
): Promise<readonly string[]> {
  const known = new Set([...buckets.map(({ place }) => place.identity), ...(await removedBuckets(engine))]);
  const places = new Map<string, ContentAddress>();
  for (const folder of readList(allowBucketFolders)) places.set(`file:${resolve(folder)}`, { kind: 'folder', folder });
  for (const location of readObjectStores(allowObjectStores))
    places.set(`s3://${location.bucket}/${location.prefix}`, { kind: 's3', ...location });
  for (const { place, backend } of buckets) if (backend !== undefined) places.set(backend, place.address);
  const found = new Set<string>();
  for (const [name, address] of places) {
    // One that can't be reached is said of its buckets.
    const identities = await stores.identitiesAt(address).catch(() => []);
    const [where = ''] = name.split('?', 1);
    for (const identity of identities) if (!known.has(identity)) found.add(`${where.replace(/\/$/, '')}/${identity}`);
  }
  return [...found];
}

/** Buckets that were removed, whose bytes the server deletes. */
async function removedBuckets(engine: Engine): Promise<readonly string[]> {
  const transaction = await engine.begin({ writable: false });
  try {
    return (await entriesOf(transaction, REMOVED_BUCKETS)).map(([key]) => removedBucketIn(key));
  } finally {
    transaction.cancel();
  }
}

async function checkOne(
  engine: Engine,
  stores: ContentStores,
  { path, place, catalog }: StoredBucket,
  repairs: boolean,
): Promise<Checked> {
  try {
    const faults = await checkBucket(engine, stores, place);
    const { strays, missing } = faults;
    const isFaulty = strays.length + missing.length > 0;
    if (repairs && isFaulty) await repairBucket(engine, stores, place, faults);
    const unreferenced = await unreferencedFiles(engine, catalog, place);
    const repaired = repairs && isFaulty;
    return { bucket: path, strays, missing: missing.map(({ key }) => key), unreferenced, repaired };
  } catch (error) {
    const { message } = asTesseraError(error);
    return { bucket: path, strays: [], missing: [], unreferenced: [], failure: message, repaired: false };
  }
}

function isSound({ strays, missing, failure, repaired }: Checked): boolean {
  return failure === undefined && (repaired || strays.length + missing.length === 0);
}

function asText(checked: readonly Checked[], unknown: readonly string[]): string {
  const faults = checked.flatMap(({ bucket, strays, missing, unreferenced, failure, repaired }) => {
    const done = repaired ? ': deleted' : '';
    return [
      ...(failure === undefined ? [] : [`${bucket}: not checked. ${failure}`]),
      ...strays.map((content) => `${bucket}: the bytes ${content} belong to no file${done}`),
      ...missing.map((key) => `${bucket}: the bytes of ${key} are missing${done}`),
      ...unreferenced.map((key) => `${bucket}: no field refers to ${key}`),
    ];
  });
  const lines = [...faults, ...unknown.map((folder) => `${folder}: of no bucket of this store`)];
  const faulty = checked.filter((each) => !isSound(each)).length;
  const verdict = faulty === 0 ? 'all of them sound' : `${faulty} of them not sound`;
  return `${[...lines, `${checked.length} ${checked.length === 1 ? 'bucket' : 'buckets'}, ${verdict}`].join('\n')}\n`;
}
