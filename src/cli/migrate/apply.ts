/** Applies migrations: one transaction for each, which holds its entry in the journal as well. */
import { realEnvironment } from '../../env/real.js';
import type { ObjectValue, Value } from '../../value/value.js';
import type { RpcClient } from '../client/rpc-client.js';
import { ServerError } from '../client/server-error.js';
import { CommandError } from '../command-error.js';
import { readStatementResults, statementError } from '../target.js';
import { JOURNAL } from './entry.js';
import { type Migration, sourceLocation, statementPositions } from './files.js';
import { type AppliedMigration, prepareJournal, readJournal, writeEntry } from './journal.js';
import { type MigrationPlan, planMigrations, refuseDrift } from './plan.js';

/** Maximum number of attempts of a migration that conflicts. */
const MAX_TRIES = 20;
/** Milliseconds before the second attempt; each further attempt waits that much longer. */
const PAUSE = 20;

/**
 * Applies pending migrations in order. Other migrators may run concurrently: each file is applied by one of
 * them.
 * @throws CommandError for drift, and for a migration that fails, of which nothing stays; ServerError
 */
export async function applyMigrations(
  client: RpcClient,
  files: readonly Migration[],
  report: (migration: Migration) => void,
): Promise<void> {
  let plan = await currentPlan(client, files);
  // All are checked before the first one is run.
  for (const migration of plan.pending) statementPositions(migration);
  if (plan.pending.length > 0) await prepareJournal(client);
  for (let tries = 1; ; ) {
    const [next] = plan.pending;
    if (next === undefined) return;
    if (await apply(client, next, plan.applied)) {
      report(next);
      tries = 1;
    } else if (tries === MAX_TRIES) {
      throw new CommandError(`${next.file}: it conflicts with other transactions again and again; nothing of it stays`);
    } else await realEnvironment.timers.wait(PAUSE * tries++);
    plan = await currentPlan(client, files);
  }
}

/**
 * Runs pending migrations in one transaction, which is cancelled.
 * @throws CommandError as `applyMigrations`
 */
export async function tryMigrations(client: RpcClient, files: readonly Migration[]): Promise<readonly Migration[]> {
  const { pending } = await currentPlan(client, files);
  const transaction = await client.call('begin');
  try {
    for (const migration of pending) await runMigration(client, migration, transaction);
  } finally {
    await cancel(client, transaction);
  }
  return pending;
}

async function currentPlan(client: RpcClient, files: readonly Migration[]): Promise<MigrationPlan> {
  const plan = planMigrations(files, await readJournal(client));
  refuseDrift(plan);
  return plan;
}

/** Returns whether it was applied; not if it conflicted with another transaction or migrator. */
function apply(client: RpcClient, migration: Migration, applied: readonly AppliedMigration[]): Promise<boolean> {
  return commitUnlessLost(client, async (transaction) => {
    await writeEntry(client, migration, applied.length + 1, transaction);
    await runMigration(client, migration, transaction);
    await journalMustBe([...applied, migration], migration.name, client, transaction);
  });
}

/**
 * Runs `work` in a transaction and commits it. Returns whether it was; not if it conflicted with another transaction or
 * migrator.
 * @throws CommandError, ServerError of the work
 */
export async function commitUnlessLost(
  client: RpcClient,
  work: (transaction: Value) => Promise<void>,
): Promise<boolean> {
  const transaction = await client.call('begin');
  try {
    await work(transaction);
    await client.call('commit', transaction);
    return true;
  } catch (error) {
    if (error instanceof ServerError && LOST.has(error.reason)) return false;
    throw error;
  } finally {
    await cancel(client, transaction);
  }
}

/**
 * A migration that changed its own entry, or those of others, would be run again by the next migrator.
 * @throws CommandError; ServerError for a conflict
 */
export async function journalMustBe(
  entries: readonly Pick<Migration, 'name' | 'checksum'>[],
  file: string,
  client: RpcClient,
  transaction: Value,
): Promise<void> {
  const journal = await readJournal(client, transaction);
  const isKept =
    journal.length === entries.length &&
    journal.every(({ name, checksum }, at) => name === entries[at]?.name && checksum === entries[at].checksum);
  if (isKept) return;
  throw new CommandError(`${file}: it changes the table ${JOURNAL}, which lists what is applied; nothing of it stays`);
}

/** A transaction conflict, and a record that is there already, which can only be the entry in the journal. */
const LOST: ReadonlySet<string | undefined> = new Set(['TransactionConflict', 'Record']);

/** A transaction that has ended is left alone, and so is a connection that is lost. */
async function cancel(client: RpcClient, transaction: Value): Promise<void> {
  await client.call('cancel', transaction).catch(() => undefined);
}

/**
 * Runs the statements of a migration within a transaction.
 * @throws CommandError with the place of what failed; ServerError for a conflict
 */
export async function runMigration(client: RpcClient, migration: Migration, transaction: Value): Promise<void> {
  const { file, text } = migration;
  const positions = statementPositions(migration);
  if (positions.length === 0) return;
  let entries: readonly ObjectValue[];
  try {
    entries = readStatementResults(await client.query(text, transaction));
  } catch (error) {
    throw error instanceof ServerError ? failed(file, error) : error;
  }
  const at = entries.findIndex(({ status }) => status !== 'OK');
  const entry = entries[at];
  if (entry !== undefined) throw failed(sourceLocation(file, positions[at]), statementError(entry));
}

function failed(place: string, error: ServerError): Error {
  return error.reason === 'TransactionConflict' ? error : new CommandError(`${place}: ${error.message.trimEnd()}`);
}
