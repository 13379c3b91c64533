/** The built engine with embedded JavaScript switched on: its threads are loaded by Node itself, which knows no TypeScript. */
import { fileURLToPath } from 'node:url';
import type { DatabaseOptions, Tessera } from '../../src/embedded/index.js';

type Embedded = typeof import('../../src/embedded/index.js');

const built = fileURLToPath(new URL('../../dist/embedded/index.js', import.meta.url));

export interface Scripting {
  readonly database: Tessera;
  /** The results of a text as the language writes them, or the texts of the errors, one for each statement. */
  answers(text: string): Promise<string[]>;
  /** The last of them. */
  answer(text: string): Promise<string>;
}

/** Opens a store in memory, with `test` / `test` selected. */
export async function openScripting(options: DatabaseOptions = { scripting: {} }): Promise<Scripting> {
  const { open, toText } = (await import(built)) as Embedded;
  const database = await open('memory', options);
  await database.use('test', 'test');
  const answers = async (text: string) =>
    (await database.run(text)).map(({ outcome }) => (outcome.ok ? toText(outcome.value) : outcome.error.message));
  return { database, answers, answer: async (text) => (await answers(text)).at(-1) ?? '' };
}
