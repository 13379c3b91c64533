/** Long texts page by page, in the program that the user likes to read them with. */
import { spawn } from 'node:child_process';
import { displayWidth } from './display-width.js';

/** The command, and whether a shell has to parse it. */
export interface Pager {
  readonly command: string;
  readonly args: readonly string[];
  readonly shell: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `PAGER` is a command for a shell, as in other programs; empty, or `cat`, is none. */
export function pagerOf({ PAGER }: Environment): Pager | undefined {
  if (PAGER === undefined) return { command: 'less', args: ['-R'], shell: false };
  const command = PAGER.trim();
  return command === '' || command === 'cat' ? undefined : { command, args: [], shell: true };
}

/** What a shell answers for a command that isn't there or can't be run. */
const NOT_RUN: ReadonlySet<number | null> = new Set([126, 127]);

/** Shows a text until the user leaves the pager. Returns whether it was shown. */
export function page(text: string, { command, args, shell }: Pager, environment: Environment): Promise<boolean> {
  return new Promise((resolve) => {
    // Colours are passed through unless the user has configured less otherwise.
    const env = { LESS: 'R', ...environment };
    const child = spawn(command, args, { shell, stdio: ['pipe', 'inherit', 'inherit'], env });
    // Ctrl-C is for the pager.
    const ignore = () => {};
    process.on('SIGINT', ignore);
    const end = (isShown: boolean) => {
      process.off('SIGINT', ignore);
      resolve(isShown);
    };
    child.once('error', () => end(false));
    child.once('close', (code) => end(!NOT_RUN.has(code)));
    // One may leave before all of it was read.
    child.stdin.on('error', ignore);
    child.stdin.end(`${text}\n`);
  });
}

/** Escape sequences of colours, which have no width. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const COLOR = /\x1b\[\d+m/g;

/** Whether a text takes more lines than a terminal has beside its prompt. */
export function isLongerThan(text: string, rows: number, columns: number): boolean {
  let taken = 0;
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end === -1 ? text.length : end).replace(COLOR, '');
    taken += Math.max(1, Math.ceil(displayWidth(line) / columns));
    if (taken >= rows) return true;
    if (end === -1) return false;
    from = end + 1;
  }
  return false;
}
