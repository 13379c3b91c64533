/** `tessera types`. */
import { realEnvironment } from '../env/real.js';
import { DatabaseTypes } from '../inference/infer.js';
import { permittedSchema } from '../inference/permitted-schema.js';
import { allOf, type Definitions } from '../inference/schema.js';
import type { RpcClient } from './client/rpc-client.js';
import { ServerError } from './client/server-error.js';
import { CommandError } from './command-error.js';
import { replaceFile } from './replace-file.js';
import { withTarget } from './target.js';
import type { TargetOptions } from './target-options.js';
import { terminalText } from './terminal-text.js';
import { CLIENT_DIALECTS } from './types/dialect.js';
import { checkQueries } from './types/queries/check-queries.js';
import { QueryFiles } from './types/queries/query-files.js';
import { type ReadSchema, readSchema } from './types/schema.js';
import { writeTypes } from './types/write-types.js';

export interface TypesOptions extends TargetOptions {
  readonly out?: string;
  /** The target of the types. Default: the official client. */
  readonly for?: keyof typeof CLIENT_DIALECTS;
  /** The files of the app whose statements have types, too: `src/**`. */
  readonly queries?: string;
  /** The access method whose users they are for: what these may see and write. Default: everything. */
  readonly access?: string;
}

/**
 * Writes the types of a database to a file, or to `output`.
 * @throws CommandError also where statements of the app don't fit the database, when the types are written
 * @throws ServerError, and what the file system throws
 */
export async function runTypes(options: TypesOptions, output: NodeJS.WritableStream): Promise<void> {
  const { text, faults } = await withTarget(options, (client) => typesFrom(client, options, queryFiles(options)));
  if (options.out === undefined) output.write(text);
  else await replaceFile(options.out, text);
  if (faults.length > 0) throw new CommandError(faults.join('\n'));
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
  const files = queryFiles(options);
  let written: string | undefined;
  let complaint: string | undefined;
  while (signal?.aborted !== true) {
    try {
      await withTarget(options, async (client) => {
        while (signal?.aborted !== true) {
          const { text, faults } = await typesFrom(client, options, files);
          const wrong = faults.length === 0 ? undefined : faults.join('\n');
          if (wrong !== undefined && wrong !== complaint) log(wrong);
          complaint = wrong;
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

/** The text of the types, and what is wrong with statements of the app. */
interface MadeTypes {
  readonly text: string;
  readonly faults: readonly string[];
}

/** @throws CommandError where there is no such access method; as `readSchema`, `QueryFiles.sources` */
async function typesFrom(client: RpcClient, options: TypesOptions, files?: QueryFiles): Promise<MadeTypes> {
  const definitions = definitionsFor(await readSchema(client), options.access);
  const dialect = CLIENT_DIALECTS[options.for ?? 'client'];
  const types = new DatabaseTypes(definitions);
  if (files === undefined) return { text: writeTypes(definitions, dialect, types), faults: [] };
  const { queries, faults } = checkQueries(await files.sources(), types);
  const missing = files.areMissing ? [`No file of statements or of a program matches ${options.queries}`] : [];
  return { text: writeTypes(definitions, dialect, types, queries), faults: [...missing, ...faults] };
}

function queryFiles({ queries, out }: TypesOptions): QueryFiles | undefined {
  return queries === undefined ? undefined : new QueryFiles(queries, out);
}

function definitionsFor(schema: ReadSchema, access: string | undefined): Definitions {
  if (access === undefined) return allOf(schema);
  if (!schema.accesses.includes(access))
    throw new CommandError(`The database has no access method ${terminalText(access)}`);
  return {
    read: permittedSchema(schema, access, 'select'),
    create: permittedSchema(schema, access, 'create'),
    update: permittedSchema(schema, access, 'update'),
  };
}
