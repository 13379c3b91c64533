/** `tessera backup`, `tessera verify`, `tessera restore` and `tessera archive prune`. */
import { beginEra } from '../catalog/changefeed/era.js';
import { describeKey } from '../catalog/keys/describe-key.js';
import { realEnvironment } from '../env/real.js';
import { failure } from '../errors/error.js';
import { ConfigurationError, readStreamedSize } from '../server/setting.js';
import { readStoreAddress, withoutPassword } from '../storage/address.js';
import type { ArchivedGroup } from '../storage/archive/read-archive.js';
import type { Blobs } from '../storage/backup/blobs.js';
import { createBackup } from '../storage/backup/create-backup.js';
import { FolderBlobs } from '../storage/backup/folder-blobs.js';
import { pruneArchive } from '../storage/backup/prune-archive.js';
import { type OpenBackup, openBackup, readParts } from '../storage/backup/read-backup.js';
import { restoreStore } from '../storage/backup/restore-store.js';
import { isS3Address, readS3Address, S3Blobs } from '../storage/backup/s3-blobs.js';
import { readSecret, type Secret } from '../storage/backup/sealing.js';
import { openLmdb } from '../storage/lmdb/engine/lmdb.js';
import { bucketsElsewhere, elsewhereText } from './buckets.js';
import { Progress } from './progress.js';

/** The encryption of a backup. */
interface SecretFiles {
  readonly passphraseFile?: string;
  readonly keyFile?: string;
}

export interface BackupCommand extends SecretFiles {
  readonly rate?: string;
  readonly json?: boolean;
}

export interface VerifyBackupCommand extends SecretFiles {
  readonly json?: boolean;
}

export interface RestoreCommand extends SecretFiles {
  readonly archive?: string;
  readonly until?: string;
  readonly keepSessions?: boolean;
  readonly json?: boolean;
}

export interface PruneCommand extends SecretFiles {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export interface BackupStreams {
  readonly output: NodeJS.WritableStream;
  /** Where progress is shown, if that is a terminal. */
  readonly errors: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** @throws TesseraError as `createBackup` does, `backup_unsupported`, `backup_key_invalid`; ConfigurationError */
export async function runBackup(
  from: string,
  to: string,
  command: BackupCommand,
  streams: BackupStreams,
): Promise<void> {
  const progress = new Progress('Copied', streams.errors);
  const { manifest, size } = await createBackup(folderOf(from), openBlobs(to), {
    secret: secretOf(command),
    rate: command.rate === undefined ? undefined : rateOf(command.rate),
    progress: (bytes) => progress.add(bytes),
  });
  progress.end();
  const { store, taken } = manifest;
  const facts = { location: to, taken, store: store.id, version: store.version, pages: manifest.pages.count, size };
  print(streams, command, facts, `Backed up version ${store.version} of the store, ${size} bytes, as of ${taken}`);
}

/** @throws TesseraError as `openBackup` and `readParts` do; ConfigurationError */
export async function runVerify(location: string, command: VerifyBackupCommand, streams: BackupStreams): Promise<void> {
  const backup = await openBackup(openBlobs(location), secretOf(command));
  const { pages, parts, store, taken } = backup.manifest;
  const progress = new Progress('Verified', streams.errors, sizeOf(backup));
  await readParts(backup, (runs) => {
    for (const { bytes } of runs) progress.add(bytes.length);
  });
  progress.end();
  const { version: by } = backup.header;
  const facts = { location, sound: true, taken, by, format: store.format, store: store.id, version: store.version };
  const text = `The backup is whole: version ${store.version} of the store, ${pages.count} pages in ${parts.length} parts, as of ${taken}, by Tessera ${by}`;
  print(streams, command, { ...facts, pages: pages.count, parts: parts.length }, text);
}

/** @throws TesseraError as `openBackup` and `restoreStore` do; ConfigurationError */
export async function runRestore(
  location: string,
  to: string,
  command: RestoreCommand,
  streams: BackupStreams,
): Promise<void> {
  const folder = folderOf(to);
  const { archive, keepSessions = false } = command;
  const until = command.until === undefined ? undefined : timeOf(command.until);
  if (until !== undefined && archive === undefined) throw new ConfigurationError('--until needs --archive');
  const backup = await openBackup(openBlobs(location), secretOf(command));
  const progress = new Progress('Restored', streams.errors, sizeOf(backup));
  let last: ArchivedGroup | undefined;
  let elsewhere: readonly string[] = [];
  await restoreStore(backup, folder, {
    archive: archive === undefined ? undefined : { folder: archive, until },
    finish: async (unfinished) => {
      elsewhere = await finish(unfinished, keepSessions);
    },
    progress: (bytes) => progress.add(bytes),
    describeKey,
    damaged: (error) => streams.errors.write(`tessera: ${error.message}\n`),
    replayed: (group) => {
      last = group;
    },
  });
  progress.end();
  const { store, taken } = backup.manifest;
  const version = last?.version ?? store.version;
  const asOf = last === undefined ? taken : new Date(last.time).toISOString();
  const sessions = keepSessions ? 'Tokens of before are still valid' : 'Tokens of before are void: users sign in again';
  print(
    streams,
    command,
    { folder, version, asOf, keptSessions: keepSessions, elsewhere },
    `Restored version ${version} of the store, as of ${asOf}, into ${folder}. ${sessions}\n${elsewhereText(elsewhere)}`.trimEnd(),
  );
}

/**
 * `place`: the oldest backup that is to be brought forward.
 * @throws TesseraError as `openBackup` and `pruneArchive` do; ConfigurationError
 */
export async function runPrune(
  archive: string,
  location: string,
  command: PruneCommand,
  streams: BackupStreams,
): Promise<void> {
  const { dryRun = false } = command;
  const { store, taken } = (await openBackup(openBlobs(location), secretOf(command))).manifest;
  const { segments, bytes, left, upTo } = await pruneArchive(archive, store, dryRun);
  const done = dryRun ? 'Would remove' : 'Removed';
  const text = `${done} ${count(segments)}, ${bytes} bytes. ${left} left, which bring the backup of ${taken} from version ${store.version} to ${upTo}`;
  print(streams, command, { archive, dryRun, segments, bytes, left, from: store.version, upTo }, text);
}

function count(segments: number): string {
  return segments === 1 ? '1 segment' : `${segments} segments`;
}

/**
 * Opens what was restored, which gives it an identity of its own, and begins the new era. Returns the buckets whose
 * bytes are elsewhere.
 */
async function finish(folder: string, keepSessions: boolean): Promise<readonly string[]> {
  // What is restored is flushed as a whole.
  const engine = openLmdb(folder, { sync: 'never', cacheBytes: 1 << 20, describeKey, verifyUpTo: 0 });
  try {
    if (!keepSessions) {
      const transaction = engine.begin({ writable: true });
      await beginEra(transaction, realEnvironment.clock);
      await transaction.commit();
    }
    return await bucketsElsewhere(engine);
  } finally {
    await engine.close();
  }
}

function sizeOf({ manifest: { pages } }: OpenBackup): number {
  return (pages.count + 1) * pages.size;
}

/** @throws TesseraError `backup_unsupported`, `storage_address` */
function folderOf(address: string): string {
  const { engine, path } = readStoreAddress(address);
  if (engine === 'lmdb') return path;
  throw failure(
    'backup_unsupported',
    engine === 'memory'
      ? { store: 'a store in memory', instead: '"tessera export" writes what a running server holds' }
      : {
          store: withoutPassword(address),
          instead: 'PostgreSQL has its own tools: pg_basebackup with archived WAL, or pg_dump --schema',
        },
  );
}

/** @throws ConfigurationError */
function rateOf(text: string): number {
  try {
    return readStreamedSize(text);
  } catch (error) {
    throw new ConfigurationError(`--rate: ${(error as Error).message}`);
  }
}

/** Only times that name their zone are the same everywhere. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since 1970. @throws ConfigurationError */
function timeOf(text: string): number {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new ConfigurationError(`--until: "${text}" is no time such as 2026-11-23T16:00:00Z`);
  return time;
}

function print({ output }: BackupStreams, { json }: VerifyBackupCommand, facts: object, text: string): void {
  output.write(json === true ? `${JSON.stringify(facts)}\n` : `${text}\n`);
}

/** A folder, or `s3://bucket/prefix`. @throws TesseraError as `readS3Address` does */
function openBlobs(location: string): Blobs {
  return isS3Address(location) ? new S3Blobs(readS3Address(location, process.env)) : new FolderBlobs(location);
}

/** @throws ConfigurationError; TesseraError `backup_key_invalid`; Error of the system */
function secretOf({ passphraseFile, keyFile }: SecretFiles): Secret | undefined {
  if (passphraseFile !== undefined && keyFile !== undefined)
    throw new ConfigurationError('--passphrase-file and --key-file exclude each other');
  if (keyFile !== undefined) return readSecret('key', keyFile);
  return passphraseFile === undefined ? undefined : readSecret('passphrase', passphraseFile);
}
