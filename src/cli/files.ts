/** `tessera files check`: the files of a store beside their bytes, wherever those are. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describeKey } from '../catalog/keys/describe-key.js';
import { realEnvironment } from '../env/real.js';
import { asTesseraError } from '../errors/error.js';
import { type BucketFaults, checkBucket, repairBucket } from '../files/check/check-bucket.js';
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
    for (const bucket of await bucketsIn(engine)) checked.push(await checkOne(engine, stores, bucket, repairs));
    output.write(options.json === true ? `${JSON.stringify({ buckets: checked })}\n` : asText(checked));
    return checked.every(isSound);
  } finally {
    await engine.close();
  }
}

async function checkOne(
  engine: Engine,
  stores: ContentStores,
  { path, place }: StoredBucket,
  repairs: boolean,
): Promise<Checked> {
  try {
    const faults = await checkBucket(engine, stores, place);
    const { strays, missing } = faults;
    const isFaulty = strays.length + missing.length > 0;
    if (repairs && isFaulty) await repairBucket(engine, stores, place, faults);
    return { bucket: path, strays, missing: missing.map(({ key }) => key), repaired: repairs && isFaulty };
  } catch (error) {
    return { bucket: path, strays: [], missing: [], failure: asTesseraError(error).message, repaired: false };
  }
}

function isSound({ strays, missing, failure, repaired }: Checked): boolean {
  return failure === undefined && (repaired || strays.length + missing.length === 0);
}

function asText(checked: readonly Checked[]): string {
  const lines = checked.flatMap(({ bucket, strays, missing, failure, repaired }) => {
    const done = repaired ? ': deleted' : '';
    return [
      ...(failure === undefined ? [] : [`${bucket}: not checked. ${failure}`]),
      ...strays.map((content) => `${bucket}: the bytes ${content} belong to no file${done}`),
      ...missing.map((key) => `${bucket}: the bytes of ${key} are missing${done}`),
    ];
  });
  const faulty = checked.filter((each) => !isSound(each)).length;
  const verdict = faulty === 0 ? 'all of them sound' : `${faulty} of them not sound`;
  return `${[...lines, `${checked.length} ${checked.length === 1 ? 'bucket' : 'buckets'}, ${verdict}`].join('\n')}\n`;
}
