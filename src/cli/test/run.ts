/** `tessera test`: runs files of tests against a schema, once or whenever one of them changes. */
import { existsSync, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { basename, join } from 'node:path';
import { realEnvironment } from '../../env/real.js';
import { MemoryEngine } from '../../storage/memory/memory.js';
import { CommandError } from '../command-error.js';
import { runMigration } from '../migrate/apply.js';
import { type Migration, readMigration, readMigrations } from '../migrate/files.js';
import { withEngine } from '../target.js';
import { terminalText } from '../terminal-text.js';
import { REPORTERS } from './reporters.js';
import { PLACE, runTestFile, type TestOutcome } from './run-file.js';
import { readTestFile, TEST_EXIT_CODES, type TestFile } from './test-file.js';

export interface TestOptions {
  /** Folders of migrations, and files of statements, applied in this order. */
  readonly schema: readonly string[];
  /** A part of the names of the tests that are run; all if it is left out. */
  readonly only?: string;
  readonly reporter: keyof typeof REPORTERS;
}

const ENDING = '.surql';

/**
 * Runs the tests of a folder, those in folders below it included, or of one file. Resolves with the exit code.
 * @throws CommandError for files that can't be read, and a schema that fails; Error of the file system
 */
export async function runTests(path: string, options: TestOptions, output: NodeJS.WritableStream): Promise<number> {
  const { clock } = realEnvironment;
  const since = clock.monotonic();
  const files = testFilesIn(path).map((file) => chosen(readTestFile(file, readFileSync(file, 'utf8')), options.only));
  const empty = await engineWithSchema(options.schema.flatMap(migrationsIn));
  const outcomes: TestOutcome[] = [];
  for (const file of files) outcomes.push(...(await runTestFile(file, empty)));
  if (outcomes.length === 0) throw new CommandError(`${path}: there are no tests`, TEST_EXIT_CODES.unreadable);
  const report = REPORTERS[options.reporter](outcomes, clock.monotonic() - since);
  output.write(options.reporter === 'text' ? terminalText(report) : report);
  return outcomes.every(({ fault }) => fault === undefined) ? 0 : TEST_EXIT_CODES.failed;
}

/** Milliseconds in which changes are taken together: an editor writes a file in several steps. */
const TOGETHER = 50;
const CLEAR_SCREEN = '\u001b[2J\u001b[H';

/** Runs the tests, and again after each change of the files or the schema, until the signal. */
export async function watchTests(
  path: string,
  options: TestOptions,
  output: NodeJS.WritableStream & { readonly isTTY?: boolean },
  signal?: AbortSignal,
): Promise<void> {
  let changed = () => {};
  for (const watched of [path, ...options.schema]) {
    const recursive = statSync(watched).isDirectory();
    watch(watched, { recursive, ...(signal !== undefined && { signal }) }, () => changed()).on(
      'error',
      () => undefined,
    );
  }
  signal?.addEventListener('abort', () => changed());
  while (signal?.aborted !== true) {
    const change = new Promise<void>((resolve) => {
      changed = resolve;
    });
    if (output.isTTY === true) output.write(CLEAR_SCREEN);
    await runTests(path, options, output).catch((error: unknown) => {
      if (!(error instanceof Error)) throw error;
      // A file that is half written is read again.
      output.write(`${terminalText(error.message)}\n`);
    });
    await change;
    await realEnvironment.timers.wait(TOGETHER);
  }
}

/** In the order of their names. */
function testFilesIn(path: string): string[] {
  if (!existsSync(path)) throw new CommandError(`${path}: there is no such file or folder`, TEST_EXIT_CODES.unreadable);
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(ENDING));
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort();
}

function migrationsIn(path: string): Migration[] {
  if (!existsSync(path)) {
    throw new CommandError(`${path}: there is no such file or folder; --schema names it`, TEST_EXIT_CODES.unreadable);
  }
  return statSync(path).isDirectory() ? readMigrations(path) : [readMigration(basename(path, ENDING), path)];
}

function chosen(file: TestFile, only = ''): TestFile {
  return { ...file, tests: file.tests.filter(({ name }) => name.includes(only)) };
}

/** An engine in memory with what the files define, each applied in a transaction. @throws CommandError */
async function engineWithSchema(migrations: readonly Migration[]): Promise<MemoryEngine> {
  const engine = new MemoryEngine();
  const selected = { ns: PLACE.namespace, db: PLACE.database };
  return withEngine(engine, selected, async (client) => {
    for (const migration of migrations) {
      const transaction = await client.call('begin');
      await runMigration(client, migration, transaction);
      await client.call('commit', transaction);
    }
    return engine.fork();
  });
}
