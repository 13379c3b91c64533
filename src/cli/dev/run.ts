/** `tessera dev`: a server on the data of this folder, whose database follows the files of the app. */
import { VERSION } from '../../base/package-version.js';
import { givenSetting, type SettingSources } from '../../server/configuration.js';
import { runServer } from '../../server/run.js';
import { DEV_SETTINGS } from '../../server/settings/dev.js';
import { escapeIdentifier } from '../../value/text/quote.js';
import { connectAs } from '../client/connection.js';
import { type DevConnection, readDevConnection, writeDevConnection } from '../client/dev-connection.js';
import { CommandError } from '../command-error.js';
import { errorText } from '../error-text.js';
import { SEED_FILE } from '../seed-command.js';
import { valuesOf } from '../target.js';
import { type TypesOptions, watchTypes } from '../types.js';
import { ChangeWatcher } from './change-watcher.js';
import { DATA_FOLDER, ROOT_NAME, readDevConfiguration } from './configuration.js';
import { devPassword, prepareDevFolder, removeData } from './data.js';
import { FollowedFiles, MIGRATIONS } from './followed-files.js';

/** Milliseconds between two looks at the database. */
const INTERVAL = 1_000;

/**
 * Runs until a signal ends the process.
 * @throws CommandError, ConfigurationError, ServerError, TesseraError where the server can't be started
 */
export async function runDev(
  sources: SettingSources,
  { reset }: { readonly reset: boolean },
  output: NodeJS.WritableStream,
): Promise<void> {
  const types = typesWanted(sources);
  if (reset) await removeData();
  prepareDevFolder();
  const { connection, close } = await startServer(sources);
  try {
    await prepareDatabase(connection);
    output.write(startedText(connection));
    await followFiles(connection, types, output);
  } catch (error) {
    await close();
    throw error;
  }
}

/** What `tessera types` would be asked for; `undefined` without a file. @throws CommandError for queries without one */
function typesWanted(sources: SettingSources): WantedTypes | undefined {
  const given = (setting: (typeof DEV_SETTINGS)[keyof typeof DEV_SETTINGS]) => givenSetting(setting, sources)?.text;
  const { types: file, typesAccess, queries: files } = DEV_SETTINGS;
  const [out, access, queries] = [given(file), given(typesAccess), given(files)];
  if (out !== undefined) return { out, ...(access && { access }), ...(queries && { queries }) };
  if (queries !== undefined) throw new CommandError('--queries needs --types, the file for what is found out');
  return undefined;
}

type WantedTypes = Pick<TypesOptions, 'access' | 'queries'> & { readonly out: string };

/** The addresses, and how to reach them. */
function startedText({ endpoint, user, pass, ns, db }: DevConnection): string {
  const studio = `${endpoint}/studio`;
  const clients = `${endpoint.replace(/^http/, 'ws')}/rpc`.padEnd(studio.length);
  return `
  Tessera ${VERSION}

  Studio   ${studio}   user ${user}, password ${pass}
  Clients  ${clients}   namespace ${ns}, database ${db}
  Shell    npx tessera sql
  Data     ${DATA_FOLDER}

  Migrations are applied when they change. Ctrl-C ends the server.

`;
}

async function followFiles(
  connection: DevConnection,
  types: WantedTypes | undefined,
  output: NodeJS.WritableStream,
): Promise<never> {
  const watcher = new ChangeWatcher([
    { folder: '.', counts: (name) => name === MIGRATIONS || name === SEED_FILE },
    { folder: MIGRATIONS, counts: (name) => name.endsWith('.surql') },
  ]);
  const files = new FollowedFiles(connection, output);
  let keepsTypes = false;
  for (;;) {
    const state = await files.follow();
    if (state === 'current' && types !== undefined && !keepsTypes) {
      keepsTypes = true;
      keepTypes(types, connection, output);
    }
    // "tessera migrate down" changes no file.
    await watcher.next(state === 'drift' ? INTERVAL : undefined);
  }
}

interface Started {
  readonly connection: DevConnection;
  readonly close: () => Promise<void>;
}

/** @throws CommandError where the port is taken; as `runServer` */
async function startServer(sources: SettingSources): Promise<Started> {
  const pass = devPassword();
  const configuration = readDevConfiguration(sources, pass);
  const { bind, defaultNamespace: ns, defaultDatabase: db } = configuration;
  const user = { user: ROOT_NAME, pass, ns, db };
  // The password is kept before there is a user who has it.
  if (readDevConnection() === undefined) writeDevConnection({ endpoint: `http://127.0.0.1:${bind.port}`, ...user });
  const running = await runServer(configuration, []).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new CommandError(`${errorText(error)}. Another port is chosen so: tessera dev --bind 127.0.0.1:8001`);
  });
  if (running === undefined) throw new Error('A server with one process is no worker');
  const connection = { endpoint: running.url, ...user };
  writeDevConnection(connection);
  return { connection, close: running.close };
}

/**
 * Makes the database, so that it is there before the first migration.
 * @throws CommandError where the data has another root user
 */
async function prepareDatabase(connection: DevConnection): Promise<void> {
  const { ns, db } = connection;
  const client = await connectAs({ ...connection, authLevel: 'root' }).catch((error: Error) => {
    throw new CommandError(
      `The root user of ${DATA_FOLDER} can't sign in: ${error.message}. Begin with empty data: tessera dev --reset`,
    );
  });
  await valuesOf(client, `DEFINE NAMESPACE IF NOT EXISTS ${escapeIdentifier(ns)}`);
  await valuesOf(client, `DEFINE DATABASE IF NOT EXISTS ${escapeIdentifier(db)}`);
  client.close();
}

/** Writes the types whenever a definition changes, here or in the Studio, or a statement of the app. */
function keepTypes(types: WantedTypes, connection: DevConnection, errors: NodeJS.WritableStream): void {
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  const options = { ...connection, authLevel: 'root', ...types } as const;
  watchTypes(options, { errors, interval: INTERVAL, signal: ending.signal }).catch((error: unknown) =>
    errors.write(`${errorText(error)}\n`),
  );
}
