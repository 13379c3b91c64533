/** Edits as the files of the next migration: what they run, and what undoes it. */
import { DOWN_ENDING, ENDING, migrationName, nextNumber } from '../../../../src/cli/migrate/names.js';
import type { StatementSource } from '../../../connection/statement-source.js';
import { isLossy, type Staged, statementsOf, undoingOf } from './edit-statements.js';
import { describe } from './edits.js';

export interface MigrationFile {
  readonly name: string;
  readonly text: string;
}

/** The number of the next migration, by the journal of those that the database has had. */
export async function loadNextNumber(source: StatementSource): Promise<string> {
  const [result] = await source.run('SELECT VALUE name FROM tessera_migration ORDER BY id DESC LIMIT 1');
  const [last] = result?.ok === true ? (result.value as readonly unknown[]) : [];
  return nextNumber(typeof last === 'string' ? last : undefined) ?? '';
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
