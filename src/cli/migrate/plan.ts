/** The state of a folder of migrations: applied, pending, and conflicting ones. */
import { CommandError } from '../command-error.js';
import type { Migration } from './files.js';
import type { AppliedMigration } from './journal.js';

export interface MigrationPlan {
  readonly applied: readonly AppliedMigration[];
  /** In the order in which they are to be applied. */
  readonly pending: readonly Migration[];
  /** One line for each file that isn't as it was applied; nothing may be applied then. */
  readonly drift: readonly string[];
}

/** Exit codes of `tessera migrate`, besides 0 for all is done and 1 for an error. */
export const MIGRATE_EXIT_CODES = { outstanding: 2, drift: 3 } as const;

/** Compares migration files with the journal: which are to be applied, and where the two disagree (drift). */
export function planMigrations(files: readonly Migration[], applied: readonly AppliedMigration[]): MigrationPlan {
  const byName = new Map(files.map((file) => [file.name, file]));
  const done = new Set(applied.map(({ name }) => name));
  const last = applied.at(-1)?.name;
  const pending = files.filter(({ name }) => !done.has(name));
  const drift = applied.flatMap(({ name, checksum }) => {
    const file = byName.get(name);
    if (file === undefined) return [`${name} was applied, and its file is missing`];
    return file.checksum === checksum ? [] : [`${file.file} was changed after it was applied`];
  });
  for (const { name, file } of pending) {
    if (last !== undefined && name < last)
      drift.push(`${file} comes before ${last}, which is applied: give it a higher number`);
  }
  return { applied, pending, drift };
}

/** @throws CommandError where there is drift */
export function refuseDrift({ drift }: MigrationPlan): void {
  if (drift.length > 0) throw new CommandError(drift.join('\ntessera: '), MIGRATE_EXIT_CODES.drift);
}
