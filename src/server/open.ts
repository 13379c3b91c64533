/** Opens the database of a configuration. */

import { createReadStream, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { openFileSink } from '../audit/file-sink.js';
import { streamSink } from '../audit/stream-sink.js';
import type { AttemptAdmission } from '../auth/attempts/throttle.js';
import { openIdClient } from '../auth/oidc/library.js';
import { describeKey } from '../catalog/keys/describe-key.js';
import { TesseraError } from '../errors/error.js';
import type { Log } from '../http/base/log.js';
import { ServerMetrics } from '../metrics/server-metrics.js';
import type { Database } from '../session/contract.js';
import { type OpenDatabase, openDatabase } from '../session/database/database.js';
import type { DatabaseOptions } from '../session/database/options.js';
import type { SlowLog } from '../session/slow-log.js';
import { readStoreAddress } from '../storage/address.js';
import type { Engine } from '../storage/contract.js';
import { DATA_FILE } from '../storage/lmdb/engine/lmdb-store.js';
import type { WorkerGroup } from '../storage/lmdb/shared/open.js';
import { openEngine } from '../storage/open/open.js';
import { readS3Environment } from '../storage/s3/s3-address.js';
import { durationFromNanoseconds } from '../value/time/duration.js';
import type { Configuration } from './configuration.js';
import { ensureRootUser, hasRootUser } from './first-user.js';
import { readAuditKey, readPassFile } from './secret-files.js';
import { ConfigurationError } from './setting.js';
import { endAtOnce } from './shutdown.js';

/** Causes outside of our own code, which the text names. Background work resumes once the store is available again. */
const OF_OTHERS: ReadonlySet<string> = new Set([
  'clock_differs',
  'event_lost',
  'key_set_unavailable',
  'mail_undelivered',
  'provider_refused',
  'provider_unreachable',
  'storage_unavailable',
]);

/**
 * Opens storage, audit log and database; the storage as one of a group of processes, if there is one, for all of which
 * `admission` admits sign-in attempts.
 * @throws TesseraError if the storage cannot be opened
 */
export async function openConfigured(
  configuration: Configuration,
  log: Log,
  group?: WorkerGroup,
  admission?: AttemptAdmission,
): Promise<OpenDatabase> {
  const { path, fieldPermissions, allowGuests, allowScripting, scriptLimits } = configuration;
  if (group === undefined) tellSubstitutes(configuration, log);
  const engine = await openEngine(path, {
    group,
    archive: configuration.archive,
    verifyUpTo: configuration.verifyAtStart,
    describeKey,
    report: (error) => log.error({ code: error.code }, error.message),
    fatal: (error) => {
      process.stderr.write(`tessera: ${error.message}. The server ends, since LMDB's library can't go on after that\n`);
      endAtOnce();
    },
  });
  if (group === undefined) warnOfOpenFiles(configuration, log);
  const timeout = shorter(configuration.queryTimeout, configuration.transactionTimeout);
  const requestTimeout = durationFromNanoseconds(BigInt(timeout) * 1_000_000n);
  const options: DatabaseOptions = {
    address: `${hostname()}:${configuration.bind.port}`,
    guests: allowGuests,
    unauthenticated: configuration.unauthenticated,
    fieldPermissions,
    strictPermissions: configuration.strictPermissions,
    queries: configuration.queryLimits,
    network: {
      allow: configuration.allowNet,
      deny: configuration.denyNet,
      time: configuration.netTimeout,
      response: configuration.maxNetResponse,
    },
    sessions: {
      idle: bound(configuration.sessionIdle),
      lifetime: bound(configuration.sessionLifetime),
      perUser: configuration.maxUserSessions,
    },
    transactions: {
      perUser: configuration.maxUserTransactions,
      total: configuration.maxTransactions,
      snapshotsPerUser: configuration.maxUserSnapshots,
      snapshots: configuration.maxSnapshots,
      idle: bound(configuration.transactionIdle),
      age: bound(configuration.transactionLifetime),
      memory: configuration.maxTransactionMemory,
      heldMemory: configuration.maxHeldMemory,
    },
    memory: configuration.memoryLimits,
    authentication: {
      admission,
      publicUrls: configuration.publicUrl,
      tokens: { tolerance: configuration.tokenTolerance },
    },
    rates: configuration.rates,
    mail: mailRouteOf(configuration),
    metrics: new ServerMetrics(),
    slowLog: slowLogOf(configuration, log),
    ...functionRules(configuration),
    ...(allowScripting ? { scripting: scriptLimits } : {}),
    ...(timeout === 0 || requestTimeout === undefined ? {} : { requestTimeout }),
    search: { mapperFolders: configuration.allowMapperFolders, statistics: configuration.searchStatistics },
    buckets: {
      folders: configuration.allowBucketFolders,
      objectStores: configuration.allowObjectStores,
      s3: readS3Environment(process.env),
    },
    weakKeys: configuration.allowWeakKeys,
    maxStaleness: configuration.maxStaleness,
    liveMaxAge: configuration.liveMaxAge,
    report: (error, trace) => {
      const { request, traceId } = trace ?? {};
      if (OF_OTHERS.has(error.code)) log.warn({}, error.message);
      else {
        const details = { request, trace: traceId, error: error.cause ?? error };
        log.error(details, 'Something failed for a reason of our own');
      }
    },
  };
  // Without an address of their own, servers aren't clients of providers.
  if (configuration.publicUrl.length > 0) await orClose(engine, openIdClient);
  // The storage is opened first: its lock protects the audit log.
  return orClose(engine, async () => openDatabase(engine, { ...options, ...(await auditing(configuration)) }));
}

/**
 * Prepares a database for service: creates the first user and imports the file. Returns whether there is a root user.
 */
export async function prepareDatabase(database: Database, configuration: Configuration): Promise<boolean> {
  const { user, pass, importFile: file } = configuration;
  if (user !== undefined && pass !== undefined) await ensureRootUser(database, { name: user, password: pass });
  if (file !== undefined) await importFile(database, file, configuration);
  return hasRootUser(database);
}

/** Logs the substitutes of settings that exist only in the reference server. */
function tellSubstitutes({ path, allowExperimental, unauthenticated }: Configuration, log: Log): void {
  const { inPlaceOf, path: folder, parameters } = readStoreAddress(path);
  if (inPlaceOf !== undefined)
    log.info({ folder }, `Tessera keeps the data in a store of its own, in place of ${inPlaceOf}`);
  for (const [name, value] of parameters) {
    if (name !== 'sync' || !['every', 'never'].includes(value))
      log.warn({}, `The option ${name}=${value} of the store has no effect`);
  }
  for (const name of allowExperimental) {
    if (name !== 'graphql')
      log.info({}, `--allow-experimental ${name} has no effect: what there is of it is always there`);
  }
  if (unauthenticated) log.warn({}, 'Everybody who reaches this server owns everything in it (--unauthenticated)');
}

/** Slow statements go to the server's log. */
function slowLogOf(
  { slowLogThreshold: threshold, slowLogParamAllow: allow, slowLogParamDeny: deny }: Configuration,
  log: Log,
): SlowLog | undefined {
  if (threshold === 0) return undefined;
  const isIn = (names: 'all' | readonly string[], name: string) => names === 'all' || names.includes(name);
  return {
    threshold,
    mayShow: (name) => isIn(allow, name) && !isIn(deny, name),
    write: (line) => log.warn(line, 'Slow statement'),
  };
}

/** The shorter of two times, where 0 means none. */
function shorter(one: number, other: number): number {
  return one === 0 || other === 0 ? one + other : Math.min(one, other);
}

async function orClose<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function auditing({ auditLog, auditKeyFile }: Configuration): Promise<Pick<DatabaseOptions, 'audit'>> {
  if (auditLog === undefined) return {};
  const sink = auditLog === 'stdout' ? streamSink(process.stdout) : await openFileSink(auditLog);
  return { audit: auditKeyFile === undefined ? { sink } : { sink, key: readAuditKey(auditKeyFile) } };
}

/** The mail server of databases without one of their own. */
function mailRouteOf({ mailUrl: server, mailFrom: from, mailPasswordFile }: Configuration): DatabaseOptions['mail'] {
  if (server === undefined || from === undefined) return undefined;
  const password = mailPasswordFile && readPassFile(mailPasswordFile, '--mail-password-file');
  return { kind: 'smtp', from, server, password };
}

/** A time, where 0 means none. */
function bound(milliseconds: number): number | undefined {
  return milliseconds === 0 ? undefined : milliseconds;
}

/** If all functions are allowed, calls aren't checked. */
function functionRules({ allowFuncs, denyFuncs }: Configuration): Pick<DatabaseOptions, 'functions'> {
  return allowFuncs === 'all' && denyFuncs.length === 0 ? {} : { functions: { allow: allowFuncs, deny: denyFuncs } };
}

// `--import-file`: imports a file before the server accepts requests.

type Defaults = Pick<Configuration, 'defaultNamespace' | 'defaultDatabase' | 'noDefaults'>;

/**
 * Runs the statements of a file with owner rights, as a stream, in the default database unless they select another.
 * @throws ConfigurationError with the position of the failed statement; errors of the file system
 */
async function importFile(database: Database, file: string, defaults: Defaults): Promise<void> {
  const session = database.ownerSession();
  try {
    if (!defaults.noDefaults) await session.use(defaults.defaultNamespace, defaults.defaultDatabase);
    await session.import(createReadStream(file, 'utf8'));
  } catch (thrown) {
    throw thrown instanceof TesseraError ? new ConfigurationError(`--import-file: ${thrown.message}`) : thrown;
  } finally {
    session.close();
  }
}

/** The bits of a mode for those who are neither the owner nor in the group. */
const OTHERS = 0o007;

type Named = Pick<
  Configuration,
  'path' | 'archive' | 'auditLog' | 'auditKeyFile' | 'webKey' | 'passFile' | 'mailPasswordFile'
>;

/** Warns of files and folders with data or secrets that every user of the machine may read or write. */
function warnOfOpenFiles(configuration: Named, log: Log): void {
  // Windows has no such modes.
  if (process.platform === 'win32') return;
  for (const path of filesOf(configuration)) {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & OTHERS) === 0) continue;
    const details = { path, mode: (mode & 0o777).toString(8) };
    log.warn(details, 'It is open to all users of this machine; "chmod o= PATH" changes that');
  }
}

/** What there is of it. */
function filesOf({ path, archive, auditLog, auditKeyFile, webKey, passFile, mailPasswordFile }: Named): string[] {
  const store = readStoreAddress(path);
  const data = store.engine === 'lmdb' ? [store.path, join(store.path, DATA_FILE)] : [];
  const log = auditLog === 'stdout' ? undefined : auditLog;
  return [
    ...data,
    ...[archive, log, auditKeyFile, webKey, passFile, mailPasswordFile].filter((each) => each !== undefined),
  ];
}
