/** Brings the database of `tessera dev` to the state of its files: migrations, then the seed. */
import { existsSync } from 'node:fs';
import type { DevConnection } from '../client/dev-connection.js';
import type { RpcClient } from '../client/rpc-client.js';
import { CommandError } from '../command-error.js';
import { errorText } from '../error-text.js';
import { applyMigrations } from '../migrate/apply.js';
import { type Migration, readMigrations, statementPositions } from '../migrate/files.js';
import { readJournal } from '../migrate/journal.js';
import { MIGRATE_EXIT_CODES } from '../migrate/plan.js';
import { withConnection } from '../migrate/run.js';
import { runSeed } from '../seed.js';
import { SEED_FILE } from '../seed-command.js';
import type { TargetOptions } from '../target-options.js';
import { isSeeded, markSeeded } from './data.js';

export const MIGRATIONS = 'migrations';

const DRIFT_ADVICE = `
  Undo the change and make it in a new file: npx tessera migrate new NAME
  Or take back the last migration by its .down.surql: npx tessera migrate down
  Or begin with empty data: Ctrl-C, then npx tessera dev --reset`;

/** Whether the database has what the files say; `drift`: an applied file was changed. */
export type FollowedState = 'current' | 'drift' | 'failed';

export class FollowedFiles {
  readonly #target: TargetOptions;
  readonly #output: NodeJS.WritableStream;
  /** The problem that was said last; `undefined` where all is well. */
  #problem: string | undefined;

  constructor(connection: DevConnection, output: NodeJS.WritableStream) {
    this.#target = { ...connection, authLevel: 'root' };
    this.#output = output;
  }

  /** Applies what is pending. Problems are said once; the next call tries again. */
  async follow(): Promise<FollowedState> {
    let count = 0;
    const done = (text: string) => {
      count++;
      this.#say(text);
    };
    try {
      await this.#migrate(done);
      await this.#seed(done);
      if (this.#problem !== undefined && count === 0) this.#say('all files are applied');
      this.#problem = undefined;
      return 'current';
    } catch (error) {
      const isDrift = error instanceof CommandError && error.exitCode === MIGRATE_EXIT_CODES.drift;
      const problem = errorText(error) + (isDrift ? DRIFT_ADVICE : '');
      if (problem !== this.#problem) this.#say(problem);
      this.#problem = problem;
      return isDrift ? 'drift' : 'failed';
    }
  }

  async #migrate(done: (text: string) => void): Promise<void> {
    const files = existsSync(MIGRATIONS) ? readMigrations(MIGRATIONS) : [];
    await withConnection(this.#target, async (client) =>
      applyMigrations(client, await writtenFiles(client, files), ({ name }) => done(`applied ${name}`)),
    );
  }

  async #seed(done: (text: string) => void): Promise<void> {
    if (isSeeded() || !existsSync(SEED_FILE)) return;
    await runSeed(SEED_FILE, this.#target);
    markSeeded();
    done(`ran ${SEED_FILE}`);
  }

  #say(text: string): void {
    this.#output.write(`${text}\n`);
  }
}

/**
 * The files up to the first pending one without statements, such as a new one: applied as it is, it couldn't be written
 * any longer.
 */
async function writtenFiles(client: RpcClient, files: readonly Migration[]): Promise<Migration[]> {
  const applied = new Set((await readJournal(client)).map(({ name }) => name));
  const pending = files.filter(({ name }) => !applied.has(name));
  const first = pending.findIndex((file) => statementPositions(file).length === 0);
  const waiting = new Set(first === -1 ? [] : pending.slice(first));
  return files.filter((file) => !waiting.has(file));
}
