/** `tessera sql`: statements in, results out. */
import { createInterface } from 'node:readline/promises';
import { stringifyJson } from '../value/json.js';
import { toText } from '../value/text/text.js';
import { isArray, isObject, type Value } from '../value/value.js';
import { type ConnectionOptions, connectAs } from './connection.js';
import type { RpcClient } from './rpc-client.js';

export interface SqlOptions extends ConnectionOptions {
  readonly json?: true;
  readonly pretty?: true;
}

/** Where it reads and writes; the process's own, unless a test has others. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
  readonly errors: NodeJS.WritableStream;
}

/** Runs what comes in: all of it at once from a pipe, line by line from a person. Gives the exit code: 1 if anything failed. */
export async function runSql(options: SqlOptions, terminal: Terminal): Promise<number> {
  const client = await connectAs(options);
  try {
    return terminal.input.isTTY ? await converse(client, options, terminal) : await runAll(client, options, terminal);
  } finally {
    client.close();
  }
}

async function runAll(client: RpcClient, options: SqlOptions, terminal: Terminal): Promise<number> {
  const chunks: Buffer[] = [];
  for await (const chunk of terminal.input) chunks.push(Buffer.from(chunk));
  return run(client, Buffer.concat(chunks).toString('utf8'), options, terminal);
}

async function converse(client: RpcClient, options: SqlOptions, terminal: Terminal): Promise<number> {
  const lines = createInterface({ input: terminal.input, output: terminal.output });
  lines.setPrompt(`${options.ns ?? ''}/${options.db ?? ''}> `);
  lines.prompt();
  let code = 0;
  for await (const line of lines) {
    if (line.trim() !== '') code = Math.max(code, await run(client, line, options, terminal));
    lines.prompt();
  }
  return code;
}

async function run(client: RpcClient, text: string, options: SqlOptions, terminal: Terminal): Promise<number> {
  let results: Value;
  try {
    results = await client.call('query', text);
  } catch (error) {
    terminal.errors.write(`${(error as Error).message}\n`);
    return 1;
  }
  let code = 0;
  for (const entry of isArray(results) ? results : []) {
    if (!isObject(entry)) continue;
    if (entry.status === 'OK') terminal.output.write(`${format(entry.result, options)}\n`);
    else {
      code = 1;
      terminal.errors.write(`${String(entry.result)}\n`);
    }
  }
  return code;
}

function format(value: Value, { json, pretty }: SqlOptions): string {
  if (json) return pretty ? JSON.stringify(JSON.parse(stringifyJson(value)), undefined, 2) : stringifyJson(value);
  if (!pretty || !isArray(value)) return toText(value);
  return value.length === 0 ? '[]' : `[\n${value.map((item) => `\t${toText(item)}`).join(',\n')}\n]`;
}
