/** The history of earlier sessions, in a file of the user. */
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { OWNER_ONLY } from '../../base/private-file.js';
import { inOneLine } from './statements.js';

/** Entries that are kept. */
export const HISTORY_SIZE = 1_000;
/** The file is cut when it has so many. */
const LONGEST_FILE = 2 * HISTORY_SIZE;
/** Longer entries aren't worth finding again. */
const LONGEST_ENTRY = 10_000;

/** Whatever may hold a secret is never written down: passwords, hashes of them, keys, tokens. */
const SECRET = /pass(word|hash|phrase)?\b|secret|token|\bkey\b|bearer|credential|\beyJ[\w-]+\.|\bsignin\b|\bsignup\b/i;

/** Whether a statement names a password or a key, so that the history must not keep it. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

/** The stored form of statements that were typed together: one line if that means the same. */
export function historyEntries(text: string): string[] {
  if (text.trim() === '' || text.length > LONGEST_ENTRY || isSecret(text)) return [];
  const line = inOneLine(text.trim());
  return line === undefined ? text.split('\n').filter((part) => part.trim() !== '') : [line];
}

/** The folder for what programs remember, as the XDG Base Directory Specification has it. */
export function historyFile(environment: Readonly<Record<string, string | undefined>>): string {
  const { XDG_STATE_HOME, LOCALAPPDATA, SVC_HISTORY } = environment;
  if (SVC_HISTORY) return SVC_HISTORY;
  const local = process.platform === 'win32' ? LOCALAPPDATA : XDG_STATE_HOME;
  return join(local || join(homedir(), '.local', 'state'), 'tessera', 'history');
}

/** If the file cannot be written, the history lasts for this session only. */
export class History {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** The entries, newest first. */
  load(): string[] {
    try {
      const lines = readFileSync(this.#file, 'utf8')
        .split('\n')
        .filter((line) => line !== '');
      // Others may have made the file, or its rights may have been widened.
      chmodSync(this.#file, OWNER_ONLY);
      const kept = lines.slice(-HISTORY_SIZE);
      if (lines.length > LONGEST_FILE) writeFileSync(this.#file, `${kept.join('\n')}\n`, { mode: OWNER_ONLY });
      return kept.reverse();
    } catch {
      return [];
    }
  }

  add(entries: readonly string[]): void {
    if (entries.length === 0) return;
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      appendFileSync(this.#file, `${entries.join('\n')}\n`, { mode: OWNER_ONLY });
    } catch {
      // The statement has been run; that it isn't remembered is no error.
    }
  }
}
