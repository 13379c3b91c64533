/** Migrations: the files of a folder. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type SourcePosition, TesseraError } from '../../errors/error.js';
import type { Statement } from '../../language/ast.js';
import { StatementStream } from '../../language/statement-stream.js';
import { CommandError } from '../command-error.js';

export interface Migration {
  /** Its file without the ending: `0001_users`. */
  readonly name: string;
  /** The path of the file, for messages. */
  readonly file: string;
  readonly text: string;
  /** SHA-256 of the text, in hexadecimal digits. */
  readonly checksum: string;
}

const NAME = /^(\d{1,20})[_-][A-Za-z0-9_.-]+$/;
const ENDING = '.surql';

/**
 * The migrations of a folder, in the order of their names. Files with other endings are ignored.
 * @throws CommandError for names without a number, with the same number, or with numbers of several lengths, and for
 * what isn't a file; Error of the file system
 */
export function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
  checkNames(folder, names);
  return names.map((name) => {
    const file = join(folder, name + ENDING);
    // A pipe would be waited for, and what a folder's error is about isn't said by Node.
    if (!statSync(file).isFile()) throw new CommandError(`${file}: it is not a file`);
    const text = normalized(readFileSync(file, 'utf8'));
    return { name, file, text, checksum: createHash('sha256').update(text).digest('hex') };
  });
}

/** Neither a byte order mark nor line ends of Windows, which tools add and remove, make another migration. */
function normalized(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

function checkNames(folder: string, names: readonly string[]): void {
  const byNumber = new Map<string, string>();
  for (const name of names) {
    const [, number] = NAME.exec(name) ?? [];
    if (number === undefined) {
      throw new CommandError(
        `${join(folder, name + ENDING)}: the name must begin with a number, as in 0001_users.surql`,
      );
    }
    const other = byNumber.get(number);
    if (other !== undefined) throw new CommandError(`${folder}: ${other} and ${name} have the same number`);
    const [length = number.length] = [...byNumber.keys()].map((known) => known.length);
    if (length !== number.length) {
      throw new CommandError(`${folder}: the numbers of all files must have as many digits as that of ${names[0]}`);
    }
    byNumber.set(number, name);
  }
}

/** Statements that make no sense in a migration, each with the reason. */
const REFUSED: Readonly<Partial<Record<Statement['kind'], string>>> = {
  begin: 'each file is a transaction by itself',
  commit: 'each file is a transaction by itself',
  cancel: 'each file is a transaction by itself',
  use: 'a migration belongs to the database of --ns and --db',
  live: 'the connection ends with the command',
  kill: 'the connection ends with the command',
};

/**
 * Where the statements of a migration begin.
 * @throws CommandError where it can't be parsed, or has a statement that no migration may have
 */
export function statementPositions({ file, text }: Migration): SourcePosition[] {
  const stream = new StatementStream();
  stream.push(text);
  stream.end();
  try {
    return [...stream.statements()].map(({ statement, position }) => {
      const reason = REFUSED[statement.kind];
      if (reason === undefined) return position;
      throw new CommandError(
        `${sourceLocation(file, position)}: ${statement.kind.toUpperCase()} is refused: ${reason}`,
      );
    });
  } catch (error) {
    if (!(error instanceof TesseraError)) throw error;
    throw new CommandError(`${sourceLocation(file, error.position)}: ${error.message.trimEnd()}`);
  }
}

/** `migrations/0001_users.surql:3:1`. */
export function sourceLocation(file: string, position: SourcePosition | undefined): string {
  return position === undefined ? file : `${file}:${position.line}:${position.column}`;
}
