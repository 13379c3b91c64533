/** `tessera sql`: statements in, results out. */
import { ByteCollector } from '../base/byte-collector.js';
import { isArray, isObject, type Value } from '../value/value.js';
import { askPassword } from './ask-password.js';
import { type ConnectionOptions, connectAs } from './client/connection.js';
import { History, historyFile } from './shell/history.js';
import { pagerOf } from './shell/pager.js';
import { formatValue } from './shell/print.js';
import { Shell } from './shell/shell.js';
import { ShellSession } from './shell/shell-session.js';
import { escapeControls, paint, type Style, styleOf } from './shell/style.js';

export interface SqlOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly pretty?: boolean;
  readonly table?: boolean;
  readonly color?: boolean;
  readonly multi?: boolean;
  readonly pager?: boolean;
  readonly hideWelcome?: boolean;
}

/** Where it reads and writes; the process's own, unless a test has others. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  };
  readonly errors: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/**
 * Runs the input: all at once from a pipe, statement by statement from a terminal. Returns the exit code: 1 if
 * anything failed in a pipe.
 */
export function runSql(options: SqlOptions, terminal: Terminal): Promise<number> {
  return terminal.input.isTTY ? converse(options, terminal) : runAll(options, terminal);
}

async function converse(given: SqlOptions, { input, output }: Terminal): Promise<number> {
  const { user, pass, token } = given;
  const isAsked = user !== undefined && pass === undefined && token === undefined;
  const options = isAsked ? { ...given, pass: await askPassword(`Password of ${user}: `, { input, output }) } : given;
  let shell: Shell | undefined;
  const session = await ShellSession.open(options, (notification) => shell?.show(notification));
  shell = new Shell(
    session,
    {
      style: styleOf(options, output, process.env),
      history: new History(historyFile(process.env)),
      endpoint: options.endpoint,
      multi: options.multi ?? true,
      pager: options.pager === false ? undefined : pagerOf(process.env),
      hideWelcome: options.hideWelcome ?? false,
    },
    { input, output },
  );
  await shell.run();
  return 0;
}

async function runAll(options: SqlOptions, { input, output, errors }: Terminal): Promise<number> {
  const client = await connectAs(options);
  try {
    const collected = new ByteCollector();
    for await (const chunk of input) collected.append(Buffer.from(chunk));
    const style = styleOf(options, output, process.env);
    const complaints = styleOf(options, errors, process.env);
    const print = (text: string) => output.write(`${text}\n`);
    const complain = (text: string) => errors.write(`${complaint(text, complaints)}\n`);
    try {
      return report(await client.query(collected.take().toString('utf8')), style, { print, complain });
    } catch (error) {
      complain((error as Error).message);
      return 1;
    }
  } finally {
    client.close();
  }
}

interface Report {
  print(text: string): void;
  complain(text: string): void;
}

/** Every statement has its result or its error. */
function report(results: Value, style: Style, { print, complain }: Report): number {
  let code = 0;
  for (const entry of isArray(results) ? results : []) {
    if (!isObject(entry)) continue;
    if (entry.status === 'OK') print(formatValue(entry.result, style));
    else {
      code = 1;
      complain(String(entry.result));
    }
  }
  return code;
}

function complaint(text: string, style: Style): string {
  return paint(style, 'error', escapeControls(style, text));
}
