/** `tessera types`. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { realEnvironment } from '../env/real.js';
import type { RpcClient } from './client/rpc-client.js';
import { ServerError } from './client/server-error.js';
import { CommandError } from './command-error.js';
import { withTarget } from './target.js';
import type { TargetOptions } from './target-options.js';
import { CLIENT_DIALECTS } from './types/dialect.js';
import { readSchema } from './types/schema.js';
import { writeTypes } from './types/write-types.js';

export interface TypesOptions extends TargetOptions {
  readonly out?: string;
  /** The target of the types. Default: the official client. */
  readonly for?: keyof typeof CLIENT_DIALECTS;
}

/**
 * Writes the types of a database to a file, or to `output`.
 * @throws ServerError, CommandError, and what the file system throws
 */
export async function runTypes(options: TypesOptions, output: NodeJS.WritableStream): Promise<void> {
  const text = await withTarget(options, (client) => typesFrom(client, options));
  if (options.out === undefined) output.write(text);
  else await replaceFile(options.out, text);
}

export interface WatchOptions {
  /** The output for errors, and for notes about written files. */
  readonly errors: NodeJS.WritableStream;
  /** Milliseconds between two looks at the definitions. */
  readonly interval: number;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/**
 * Writes the types, and again whenever a definition has changed. A server that is away is asked again.
 * @throws CommandError without a file; as `runTypes` the first time
 */
export async function watchTypes(options: TypesOptions, { errors, interval, signal }: WatchOptions): Promise<void> {
  const { out } = options;
  if (out === undefined) throw new CommandError('--watch needs --out');
  const log = (text: string) => errors.write(`${text}\n`);
  let written: string | undefined;
  let complaint: string | undefined;
  while (signal?.aborted !== true) {
    try {
      await withTarget(options, async (client) => {
        while (signal?.aborted !== true) {
          const text = await typesFrom(client, options);
          complaint = undefined;
          if (text !== written) {
            await replaceFile(out, text);
            log(`${out}: written`);
          }
          written = text;
          await realEnvironment.timers.wait(interval);
        }
      });
    } catch (error) {
      if (written === undefined || !(error instanceof ServerError)) throw error;
      if (complaint !== error.message) log(error.message);
      complaint = error.message;
      await realEnvironment.timers.wait(interval);
    }
  }
}

async function typesFrom(client: RpcClient, options: TypesOptions): Promise<string> {
  return writeTypes(await readSchema(client), CLIENT_DIALECTS[options.for ?? 'client']);
}

/** Makes the folder, too. Compilers that watch the file see either the old text or the new one. */
async function replaceFile(file: string, text: string): Promise<void> {
  const unfinished = `${file}.unfinished`;
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(unfinished, text);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
