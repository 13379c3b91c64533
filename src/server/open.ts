/** Opens the database that a configuration describes. */
import type { Log } from '../http/log.js';
import type { Database } from '../session/contract.js';
import { type DatabaseOptions, openDatabase } from '../session/database.js';
import { openEngine } from '../storage/engines/open.js';
import { durationFromNanoseconds } from '../value/duration.js';
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
  const database = await openDatabase(engine, {
    guests: allowGuests,
    fieldPermissions,
    network: {
      allow: configuration.allowNet,
      deny: configuration.denyNet,
      time: configuration.netTimeout,
      response: configuration.maxNetResponse,
    },
    ...functionRules(configuration),
    ...(allowScripting ? { scripting: scriptLimits } : {}),
    ...(queryTimeout === 0 || requestTimeout === undefined ? {} : { requestTimeout }),
    report: (error) => log.error({ error: error.cause ?? error }, 'A statement failed for a reason of our own'),
  });
  try {
    const first = user === undefined || pass === undefined ? undefined : { name: user, password: pass };
    return { database, hasRootUser: await ensureRootUser(database, first) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Where all functions are allowed, no call has to look whether it is. */
function functionRules({ allowFuncs, denyFuncs }: Configuration): Pick<DatabaseOptions, 'functions'> {
  return allowFuncs === 'all' && denyFuncs.length === 0 ? {} : { functions: { allow: allowFuncs, deny: denyFuncs } };
}
