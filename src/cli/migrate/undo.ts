/** Undoes the migration that was applied last, by the file that says how: `0002_nicknames.down.surql`. */
import { join } from 'node:path';
import type { Value } from '../../value/value.js';
import type { RpcClient } from '../client/rpc-client.js';
import { CommandError } from '../command-error.js';
import { commitUnlessLost, journalMustBe, runMigration } from './apply.js';
import { type Migration, readDownMigration, statementPositions } from './files.js';
import { type AppliedMigration, readJournal, removeEntry } from './journal.js';

/** The last migration of a database, with the file that undoes it. */
interface LastMigration {
  readonly name: string;
  readonly down: Migration;
  /** The journal as it is without it. */
  readonly before: readonly AppliedMigration[];
}

/**
 * Undoes the last migration: its `.down.surql` and the removal of its journal entry are one transaction, which isn't
 * repeated where it conflicts, since another migrator may have undone it. With `dryRun` it is cancelled. Returns its
 * name; `undefined` where none is applied. Whether its own file was changed doesn't matter: it can be applied again.
 * @throws CommandError without a file that says how, and where that fails, of which nothing stays; ServerError
 */
export async function undoLast(
  client: RpcClient,
  folder: string,
  { dryRun = false }: { readonly dryRun?: boolean | undefined } = {},
): Promise<string | undefined> {
  const last = await lastMigration(client, folder);
  if (last === undefined) return undefined;
  const { name, down } = last;
  if (dryRun) {
    const transaction = await client.call('begin');
    try {
      await undo(client, last, transaction);
    } finally {
      await client.call('cancel', transaction);
    }
  } else if (!(await commitUnlessLost(client, (transaction) => undo(client, last, transaction)))) {
    throw new CommandError(`${down.file}: it conflicts with other transactions; nothing of it stays`);
  }
  return name;
}

async function undo(client: RpcClient, { down, before }: LastMigration, transaction: Value): Promise<void> {
  await removeEntry(client, before.length + 1, transaction);
  await runMigration(client, down, transaction);
  await journalMustBe(before, down.name, client, transaction);
}

async function lastMigration(client: RpcClient, folder: string): Promise<LastMigration | undefined> {
  const applied = await readJournal(client);
  const last = applied.at(-1);
  if (last === undefined) return undefined;
  const down = readDownMigration(folder, last.name);
  if (down === undefined) {
    const file = join(folder, `${last.name}.down.surql`);
    throw new CommandError(`${last.name} doesn't say how it is undone: there is no file ${file}`);
  }
  statementPositions(down);
  return { name: last.name, down, before: applied.slice(0, -1) };
}
