/** Edits as the files of the next migration: what they run, and what undoes it. */
import { entryStatement, JOURNAL, JOURNAL_DEFINITIONS } from '../../../../src/cli/migrate/entry.js';
import { DOWN_ENDING, ENDING, migrationName, nextNumber } from '../../../../src/cli/migrate/names.js';
import type { StatementSource } from '../../../connection/statement-source.js';
import { literal } from '../../../connection/surrealql.js';
import { runTransaction } from '../../../connection/transaction.js';
import { isLossy, type Staged, statementsOf, undoingOf } from './edit-statements.js';
import { describe } from './edits.js';

export interface MigrationFile {
  readonly name: string;
  readonly text: string;
}

/** What the database's journal of migrations says of the next one. */
export interface NextMigration {
  /** `''` where there is none behind the last. */
  readonly number: string;
  /** The one before it, behind which it must come by its name. */
  readonly last: string;
  /** All that the database has had, in their order. */
  readonly applied: readonly string[];
}

export async function loadNext(source: StatementSource): Promise<NextMigration> {
  const [result] = await source.run(APPLIED);
  const applied = result?.ok === true ? (result.value as readonly string[]) : [];
  const last = applied.at(-1);
  return { number: nextNumber(last) ?? '', last: last ?? '', applied };
}

const APPLIED = `SELECT VALUE name FROM ${JOURNAL} ORDER BY id`;

/**
 * The statements of a migration with its entry in the journal, in one transaction: behind those that are known to be
 * applied, and no others, before it and when it is over.
 * @throws TransactionError
 */
export async function applyMigration(
  source: StatementSource,
  staged: Staged,
  { name, text }: MigrationFile,
  applied: readonly string[],
): Promise<void> {
  const own = name.slice(0, -ENDING.length);
  // The command reads lines of files without the returns that some have.
  const checksum = `crypto::sha256(${literal(text.replaceAll('\r\n', '\n'))})`;
  const statements = staged.edits.flatMap((edit) => statementsOf(edit, staged));
  await runTransaction(source, [
    ...JOURNAL_DEFINITIONS,
    entryStatement(applied.length + 1, own, checksum),
    ...statements,
    `IF (${APPLIED}) != ${literal([...applied, own])} { THROW 'The journal of migrations has changed: open this again' }`,
  ]);
}

/** The file that is applied, and the one that undoes it. @returns `undefined` for a title that no file may have */
export function migrationFiles(
  number: string,
  title: string,
  staged: Staged,
): { readonly up: MigrationFile; readonly down: MigrationFile } | undefined {
  const name = migrationName(number, title);
  if (name === undefined) return undefined;
  const up = staged.edits.flatMap((edit) => statementsOf(edit, staged));
  const down = staged.edits
    .toReversed()
    .flatMap((edit) => [
      ...(isLossy(edit, staged)
        ? [`-- ${describe(edit).replace(/\s+/g, ' ')}: what was stored doesn't come back`]
        : []),
      ...undoingOf(edit, staged).map((statement) => `${statement};`),
    ]);
  return {
    up: { name: name + ENDING, text: up.map((statement) => `${statement};\n`).join('') },
    down: { name: name + DOWN_ENDING, text: down.map((line) => `${line}\n`).join('') },
  };
}

/** A title until one is typed: `new_table_person`. */
export function titleOf({ edits: [first] }: Staged): string {
  const words =
    first === undefined
      ? []
      : (describe(first)
          .toLowerCase()
          .match(/[a-z0-9]+/g) ?? []);
  return words.length === 0 ? 'schema' : words.slice(0, 6).join('_');
}
