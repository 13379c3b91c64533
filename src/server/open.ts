/** Opens the database that a configuration describes. */
import { openFileSink } from '../audit/file-sink.js';
import { streamSink } from '../audit/stream-sink.js';
import type { Log } from '../http/log.js';
import type { Database } from '../session/contract.js';
import { type DatabaseOptions, openDatabase } from '../session/database.js';
import type { Engine } from '../storage/contract.js';
import { openEngine } from '../storage/engines/open.js';
import { durationFromNanoseconds } from '../value/duration.js';
import { readAuditKey } from './audit-key.js';
import type { Configuration } from './configuration.js';
import { ensureRootUser } from './first-user.js';

export interface OpenedDatabase {
  readonly database: Database;
  readonly hasRootUser: boolean;
}

/** @throws TesseraError of the storage, when it can't be opened */
export async function openConfigured(configuration: Configuration, log: Log): Promise<OpenedDatabase> {
  const { path, user, pass, queryTimeout, fieldPermissions, allowGuests, allowScripting, scriptLimits } = configuration;
  const engine = await openEngine(path);
  const requestTimeout = durationFromNanoseconds(BigInt(queryTimeout) * 1_000_000n);
  const options: DatabaseOptions = {
    guests: allowGuests,
    fieldPermissions,
    strictPermissions: configuration.strictPermissions,
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
    ...functionRules(configuration),
    ...(allowScripting ? { scripting: scriptLimits } : {}),
    ...(queryTimeout === 0 || requestTimeout === undefined ? {} : { requestTimeout }),
    weakKeys: configuration.allowWeakKeys,
    report: (error) => {
      if (error.code === 'key_set_unavailable') log.warn({}, error.message);
      else log.error({ error: error.cause ?? error }, 'Something failed for a reason of our own');
    },
  };
  // The store comes first: nobody else writes to its audit log as long as it is ours.
  const database = await orClose(engine, async () =>
    openDatabase(engine, { ...options, ...(await auditing(configuration)) }),
  );
  try {
    const first = user === undefined || pass === undefined ? undefined : { name: user, password: pass };
    return { database, hasRootUser: await ensureRootUser(database, first) };
  } catch (error) {
    await database.close();
    throw error;
  }
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

/** A time that was set; zero is none. */
function bound(milliseconds: number): number | undefined {
  return milliseconds === 0 ? undefined : milliseconds;
}

/** Where all functions are allowed, no call has to look whether it is. */
function functionRules({ allowFuncs, denyFuncs }: Configuration): Pick<DatabaseOptions, 'functions'> {
  return allowFuncs === 'all' && denyFuncs.length === 0 ? {} : { functions: { allow: allowFuncs, deny: denyFuncs } };
}
