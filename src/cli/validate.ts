/** `tessera validate`: whether files parse, without running anything. */
import { createReadStream } from 'node:fs';
import { TesseraError } from '../errors/error.js';
import { StatementStream } from '../language/statement-stream.js';
import { terminalText } from './terminal-text.js';

/** Prints the errors of each file. Returns the exit code. */
export async function runValidate(
  files: readonly string[],
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<number> {
  let code = 0;
  for (const file of files) {
    try {
      const count = await countStatements(file === '-' ? input : createReadStream(file));
      output.write(`${file}: ${count} ${count === 1 ? 'statement' : 'statements'}, OK\n`);
    } catch (error) {
      if (!(error instanceof TesseraError)) throw error;
      code = 1;
      const { line, column } = error.position ?? { line: 1, column: 1 };
      output.write(`${file}:${line}:${column}: ${terminalText(error.message.trimEnd())}\n`);
    }
  }
  return code;
}

/** @throws TesseraError `parse_error`, `query_too_deep`, `query_too_long` */
async function countStatements(source: NodeJS.ReadableStream): Promise<number> {
  const stream = new StatementStream();
  const count = () => [...stream.statements()].length;
  let statements = 0;
  source.setEncoding('utf8');
  for await (const piece of source) {
    stream.push(String(piece));
    statements += count();
  }
  stream.end();
  return statements + count();
}
