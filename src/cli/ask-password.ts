/** Asks for a password in a terminal. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { ShellStreams } from './shell/shell.js';

/** Asks for a password without showing it. Empty where there is no answer. */
export function askPassword(question: string, { input, output }: ShellStreams): Promise<string> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: unseen, terminal: true, historySize: 0 });
  return new Promise((resolve) => {
    let answer = '';
    lines.once('line', (line) => {
      answer = line;
      lines.close();
    });
    // Ctrl-C and Ctrl-D answer nothing.
    lines.once('close', () => {
      output.write('\n');
      resolve(answer);
    });
    output.write(question);
  });
}
