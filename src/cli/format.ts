/** `tessera format`: lays out files of statements (`language/format.ts`). */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { glob } from 'tinyglobby';
import { TesseraError } from '../errors/error.js';
import { formatText } from '../language/format.js';
import { replaceFile } from './replace-file.js';
import { terminalText } from './terminal-text.js';

export interface FormatOptions {
  /** Says which files would change, and changes none. */
  readonly check?: boolean;
}

interface Streams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly errors: NodeJS.WritableStream;
}

/**
 * Lays out the files, and those of folders whose names end with `.surql`; `-` is from the input to the output. Returns
 * the exit code: 1 if one can't be read as statements, or with `check` if one would change.
 * @throws what the file system throws
 */
export async function runFormat(
  paths: readonly string[],
  { check = false }: FormatOptions,
  { input, output, errors }: Streams,
): Promise<number> {
  let code = 0;
  for (const file of await filesOf(paths)) {
    const text = file === '-' ? await textOf(input) : await readFile(file, 'utf8');
    const formatted = formattedOrFault(text);
    if (typeof formatted !== 'string') {
      code = 1;
      const { line, column } = formatted.position ?? { line: 1, column: 1 };
      errors.write(`${file}:${line}:${column}: ${terminalText(formatted.message.trimEnd())}\n`);
    } else if (file === '-' && !check) {
      output.write(formatted);
    } else if (formatted !== text) {
      output.write(check ? `${file} would change\n` : `${file} changed\n`);
      if (check) code = 1;
      else await replaceFile(file, formatted, (await stat(file)).mode);
    }
  }
  return code;
}

/** In the order in which they are named, those of a folder in the order of their names. */
async function filesOf(paths: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) {
    if (path === '-' || !(await stat(path)).isDirectory()) files.push(path);
    else {
      const found = await glob('**/*.surql', { cwd: path, ignore: ['**/node_modules/**'] });
      files.push(...found.sort().map((name) => join(path, name)));
    }
  }
  return files;
}

function formattedOrFault(text: string): string | TesseraError {
  try {
    return formatText(text);
  } catch (error) {
    if (error instanceof TesseraError) return error;
    throw error;
  }
}
