/** Migrations: the files of a folder. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { join, sep } from 'node:path';
import { type SourcePosition, TesseraError } from '../../errors/error.js';
import type { Statement } from '../../language/ast.js';
import { StatementStream } from '../../language/statement-stream.js';
import { CommandError } from '../command-error.js';
import { DOWN_ENDING, ENDING, migrationName, NAME, nextNumber } from './names.js';

export interface Migration {
  /** Its file without the ending: `0001_users`. */
  readonly name: string;
  /** The path of the file, for messages. */
  readonly file: string;
  readonly text: string;
  /** SHA-256 of the text, in hexadecimal digits. */
  readonly checksum: string;
  /** Other bytes are replaced in the text, so that it can't be applied. */
  readonly isUtf8: boolean;
}

/** The largest file in bytes: what a server takes in one message by default. */
const LARGEST = 16 * 2 ** 20;

/**
 * The migrations of a folder, in the order of their names. Files with other endings are ignored.
 * @throws CommandError for names without a number, with the same number, or with numbers of several lengths, for what
 * isn't a file or is too large, and for links that lead out of the folder; Error of the file system
 */
export function readMigrations(folder: string): Migration[] {
  return namesIn(folder).map((name) => readWithin(folder, name + ENDING, name));
}

/**
 * The file that undoes a migration; `undefined` where there is none.
 * @throws CommandError as `readMigrations`; Error of the file system
 */
export function readDownMigration(folder: string, name: string): Migration | undefined {
  return existsSync(join(folder, name + DOWN_ENDING)) ? readWithin(folder, name + DOWN_ENDING, name) : undefined;
}

function readWithin(folder: string, fileName: string, name: string): Migration {
  const within = join(realpathSync(folder), sep);
  const file = join(folder, fileName);
  if (!realpathSync(file).startsWith(within)) throw new CommandError(`${file}: it is a link out of the folder`);
  return readMigration(name, file);
}

/**
 * A file with statements that run in one transaction, as a migration does.
 * @throws CommandError for what isn't a file or is too large; Error of the file system
 */
export function readMigration(name: string, file: string): Migration {
  const bytes = readBounded(file);
  const text = normalized(bytes.toString('utf8'));
  return { name, file, text, checksum: createHash('sha256').update(text).digest('hex'), isUtf8: isUtf8(bytes) };
}

/** In their order, without those that undo others. @throws CommandError as `readMigrations` */
function namesIn(folder: string): string[] {
  const files = readdirSync(folder);
  const names = files
    .filter((file) => file.endsWith(ENDING) && !file.endsWith(DOWN_ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
  checkNames(folder, names);
  const undone = files.filter((file) => file.endsWith(DOWN_ENDING)).map((file) => file.slice(0, -DOWN_ENDING.length));
  const stray = undone.find((name) => !names.includes(name));
  if (stray !== undefined)
    throw new CommandError(`${join(folder, stray + DOWN_ENDING)}: there is no ${stray}${ENDING} that it would undo`);
  return names;
}

/**
 * Makes the next file of a folder, which is made, too: `migrations/0003_add_email.surql`; with `down` another that
 * undoes it. Returns their paths.
 * @throws CommandError for a name that no file may have, and behind the last number; Error of the file system
 */
export function createMigration(folder: string, title: string, { down = false } = {}): string[] {
  const last = existsSync(folder) ? namesIn(folder).at(-1) : undefined;
  const number = nextNumber(last);
  if (number === undefined) throw new CommandError(`${folder}: there is no number behind that of ${last}`);
  const name = migrationName(number, title);
  if (name === undefined) {
    throw new CommandError(
      `A name has letters, digits, "_", "-" and "." of ASCII, as in "add_email", found "${title}"`,
    );
  }
  mkdirSync(folder, { recursive: true });
  const contents: [ending: string, text: string][] = [
    [ENDING, '-- Statements that change the database, applied in one transaction.\n'],
  ];
  if (down) contents.push([DOWN_ENDING, `-- Statements that undo ${name}, for "tessera migrate down".\n`]);
  return contents.map(([ending, text]) => {
    const file = join(folder, name + ending);
    writeFileSync(file, text, { flag: 'wx' });
    return file;
  });
}

/** @throws CommandError for what isn't a file, is too large, or is being written */
function readBounded(file: string): Buffer {
  // Opening a pipe would wait for a writer.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new CommandError(`${file}: it is not a file`);
    if (found.size > LARGEST) throw new CommandError(`${file}: it is larger than ${LARGEST} bytes`);
    // One byte more shows that the file has grown.
    const bytes = Buffer.alloc(found.size + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    if (length !== found.size) throw new CommandError(`${file}: it was changed while it was read`);
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
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
export function statementPositions({ file, text, isUtf8 }: Migration): SourcePosition[] {
  if (!isUtf8) throw new CommandError(`${file}: it is not UTF-8`);
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
