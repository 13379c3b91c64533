/** `tessera copy`: a whole store, from one engine or place to another. */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeKey } from '../catalog/keys/describe-key.js';
import { isNodeState } from '../catalog/keys/node-keys.js';
import { assertKnownFormat } from '../catalog/nodes/store-format.js';
import { ConfigurationError } from '../server/setting.js';
import { readStoreAddress, type StoreAddress } from '../storage/address.js';
import type { Engine } from '../storage/contract.js';
import { copyStore } from '../storage/copy/copy-store.js';
import { DATA_FILE } from '../storage/lmdb/engine/lmdb-store.js';
import { openEngine } from '../storage/open/open.js';
import { bucketsElsewhere, elsewhereText } from './buckets.js';
import { Progress } from './progress.js';

export interface CopyCommand {
  readonly json?: boolean;
}

interface CopyStreams {
  readonly output: NodeJS.WritableStream;
  /** Where progress is shown, if that is a terminal. */
  readonly errors: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Nothing is read twice but the marker. */
const FOR_COPIES = { cacheBytes: 1 << 20, describeKey };

/**
 * Copies the store at one address to another, or continues an interrupted copy.
 * @throws TesseraError as `copyStore` and `openEngine` do; ConfigurationError for a store in memory; Error of the
 * system, such as that there is no such folder
 */
export async function runCopy(
  from: string,
  to: string,
  { json }: CopyCommand,
  { output, errors }: CopyStreams,
): Promise<void> {
  const source = lasting(from);
  lasting(to);
  // Opening a store would make one.
  if (source.engine === 'lmdb') statSync(join(source.path, DATA_FILE));
  let progress = new Progress('Copied', errors);
  await using(openEngine(from, { ...FOR_COPIES, readOnly: true }), (fromEngine) =>
    using(openEngine(to, { ...FOR_COPIES, exclusive: true }), async (toEngine) => {
      await mustBeKnown(fromEngine);
      const ends = { from: fromEngine, to: toEngine, source: await identityOf(source), isLeftOut: isNodeState };
      const copied = await copyStore(ends, {
        copied: (bytes) => progress.add(bytes),
        verifying: ({ bytes }) => {
          progress.end();
          progress = new Progress('Verified', errors, bytes);
        },
        verified: (bytes) => progress.add(bytes),
      });
      progress.end();
      const { entries, bytes, sha256 } = copied;
      const elsewhere = await bucketsElsewhere(fromEngine);
      output.write(
        json === true
          ? `${JSON.stringify({ ...copied, elsewhere })}\n`
          : `Copied ${entries} entries of ${bytes} bytes, which are the same on both sides (sha256 ${sha256})\n${elsewhereText(elsewhere)}`,
      );
    }),
  );
}

/** @throws TesseraError `storage_format` for a store that a newer Tessera wrote */
async function mustBeKnown(engine: Engine): Promise<void> {
  const transaction = await engine.begin({ writable: false });
  try {
    await assertKnownFormat(transaction);
  } finally {
    transaction.cancel();
  }
}

/** @throws ConfigurationError */
function lasting(address: string): StoreAddress {
  const read = readStoreAddress(address);
  if (read.engine !== 'memory') return read;
  throw new ConfigurationError(
    'A store in memory ends with its process and can\'t be copied. "tessera export" writes what a running server holds',
  );
}

/** Names a store, whatever the spelling of its address and the user. */
async function identityOf({ engine, path }: StoreAddress): Promise<string> {
  if (engine === 'lmdb') return resolve(path);
  const { readPostgresAddress } = await import('../storage/postgres/address.js');
  const { host, port, database, schema } = readPostgresAddress(path);
  return `postgres://${host}:${port}/${database}?schema=${schema}`;
}

async function using(opening: Promise<Engine>, work: (engine: Engine) => Promise<void>): Promise<void> {
  const engine = await opening;
  try {
    await work(engine);
  } finally {
    await engine.close();
  }
}
