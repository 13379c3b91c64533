/** Migrations: the names of their files. Without the file system, since the Studio names the next one, too. */

/** A number, `_` or `-`, and letters: `0001_users`. */
export const NAME = /^(\d{1,20})[_-][A-Za-z0-9_.-]+$/;
export const ENDING = '.surql';
/** The ending of a file that undoes the migration of the same name: `0001_users.down.surql`. */
export const DOWN_ENDING = '.down.surql';

/** Digits of the numbers in a new folder. */
const DIGITS = 4;

/**
 * The number behind that of a migration, with as many digits; the first without one.
 * @returns `undefined` behind the last number of so many digits
 */
export function nextNumber(last: string | undefined): string | undefined {
  const [, digits = '0'.repeat(DIGITS)] = (last !== undefined && NAME.exec(last)) || [];
  const number = String(BigInt(digits) + 1n).padStart(digits.length, '0');
  return number.length > digits.length ? undefined : number;
}

/** The name of a migration, `0002_add_email`; `undefined` for a title that no file may have. */
export function migrationName(number: string, title: string): string | undefined {
  const name = `${number}_${title.trim().replace(/\s+/g, '_')}`;
  return NAME.test(name) && !(name + ENDING).endsWith(DOWN_ENDING) ? name : undefined;
}
