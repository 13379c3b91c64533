/** The table of all settings of `tessera start`. */
import type { GraphqlLimits } from '../graphql/base/limits.js';
import { DEFAULT_HTTP_LIMITS, type HttpLimits, LIMIT_SETTINGS } from '../http/base/options.js';
import { DEFAULT_PARSER_LIMITS as QUERY_DEFAULTS, QUERY_LIMITS, type QueryLimits } from '../language/parse.js';
import { DEFAULT_SCRIPT_LIMITS, LEAST_SCRIPT_MEMORY, type ScriptLimits } from '../runtime/script-runner.js';
import type { MemoryLimits } from '../session/resources/server-memory.js';
import { readStoreAddress } from '../storage/address.js';
import { MAX_ENCODED } from '../value/limits.js';
import { type CapabilityConfiguration, settleCapabilities } from './capabilities.js';
import { readPassFile } from './secret-files.js';
import {
  ConfigurationError,
  optionName,
  readCount,
  readPositiveTime,
  readSize,
  readStreamedSize,
  type Setting,
  settingWithDefault,
  sizeText,
  toggle,
  variableName,
} from './setting.js';
import { ACCESS_SETTINGS } from './settings/access.js';
import { GRAPHQL_LIMITS, GRAPHQL_SETTINGS } from './settings/graphql.js';
import { MEMORY_LIMITS } from './settings/memory.js';
import { SERVER_SETTINGS } from './settings/server.js';
import { TRANSACTION_SETTINGS } from './settings/transactions.js';

export const SETTINGS = {
  ...SERVER_SETTINGS,
  ...ACCESS_SETTINGS,
  ...GRAPHQL_SETTINGS,
  ...TRANSACTION_SETTINGS,
} as const;

/** The limits of the HTTP room, which defines their flags, since its errors name them. */
export const LIMITS: Readonly<Record<keyof HttpLimits, Setting<number>>> = {
  sqlBody: size('sqlBody', 'The largest body of POST /sql', 'SURREAL_HTTP_MAX_SQL_BODY_SIZE'),
  rpcBody: size('rpcBody', 'The largest body of POST /rpc', 'SURREAL_HTTP_MAX_RPC_BODY_SIZE'),
  graphqlBody: size('graphqlBody', 'The largest body of POST /graphql, and message of its WebSockets'),
  apiBody: size('apiBody', 'The largest body of a request to /api', 'SURREAL_HTTP_MAX_API_BODY_SIZE'),
  credentialsBody: size(
    'credentialsBody',
    'The largest body of POST /signin and /signup',
    'SURREAL_HTTP_MAX_SIGNIN_BODY_SIZE',
  ),
  keyBody: size('keyBody', 'The largest body of a request to /key', 'SURREAL_HTTP_MAX_KEY_BODY_SIZE'),
  importBody: size(
    'importBody',
    'The largest body of POST /import',
    'SURREAL_HTTP_MAX_IMPORT_BODY_SIZE',
    readStreamedSize,
  ),
  guestBody: size('guestBody', 'The largest body of a request without sign-in'),
  guestMessage: size('guestMessage', 'The largest WebSocket message before sign-in'),
  message: size('message', 'The largest WebSocket message', 'SURREAL_WEBSOCKET_MAX_MESSAGE_SIZE'),
  values: count('values', 'How many values a body or a message of more than 8 KiB may consist of'),
  guestValues: count('guestValues', 'The same before sign-in'),
  objectKeys: count('objectKeys', 'How many keys one object in it may have'),
  queuedRequests: count('queuedRequests', 'How many requests of a WebSocket may wait'),
  sendBuffer: size('sendBuffer', 'How much may wait for a WebSocket client to read it'),
  answer: size('answer', 'The largest answer', undefined, readWithin(1024, MAX_ENCODED)),
  connections: count('connections', 'How many WebSockets there may be'),
  connectionsPerAddress: count('connectionsPerAddress', 'How many of them from one address'),
  httpConnectionsPerAddress: count(
    'httpConnectionsPerAddress',
    'How many other connections from one address, unless a header names the clients (--client-ip)',
  ),
  attachedSessions: count('attachedSessions', 'How many sessions a connection may attach, and a user over HTTP'),
  storedSessions: count('storedSessions', 'How many sessions may be attached over HTTP in all'),
  storedSessionMemory: size('storedSessionMemory', 'What they may hold together; a user a quarter of it'),
  liveQueries: count('liveQueries', 'How many live queries a connection may have'),
};

const LARGEST_SCRIPT_MEMORY = 2 ** 30;
/** The interpreter's own needs. */
const [LEAST_SCRIPT_STACK, LARGEST_SCRIPT_STACK] = [64 * 2 ** 10, 2 ** 20];

/** The limits of embedded JavaScript. */
export const SCRIPT_LIMITS: Readonly<Record<keyof ScriptLimits, Setting<number>>> = {
  memory: settingWithDefault(
    { flag: '--script-memory <size>', description: 'The memory of an interpreter for JavaScript; at least 16MiB' },
    sizeText(DEFAULT_SCRIPT_LIMITS.memory),
    readWithin(LEAST_SCRIPT_MEMORY, LARGEST_SCRIPT_MEMORY),
  ),
  stack: settingWithDefault(
    {
      flag: '--script-stack <size>',
      peer: 'SURREAL_SCRIPTING_MAX_STACK_SIZE',
      description: 'The stack of one JavaScript function',
    },
    sizeText(DEFAULT_SCRIPT_LIMITS.stack),
    readWithin(LEAST_SCRIPT_STACK, LARGEST_SCRIPT_STACK),
  ),
  time: settingWithDefault(
    { flag: '--script-time <time>', description: 'How long one JavaScript function may run' },
    `${DEFAULT_SCRIPT_LIMITS.time / 1000}s`,
    readPositiveTime,
  ),
  threads: settingWithDefault(
    { flag: '--script-threads <count>', description: 'How many JavaScript functions may run at a time' },
    String(DEFAULT_SCRIPT_LIMITS.threads),
    readCount,
  ),
  queue: settingWithDefault(
    { flag: '--script-queue <count>', description: 'How many JavaScript functions may wait for a thread' },
    String(DEFAULT_SCRIPT_LIMITS.queue),
    readCount,
  ),
  value: settingWithDefault(
    {
      flag: '--script-value <size>',
      description: 'The largest value that goes into JavaScript or comes out of it, as JSON',
    },
    sizeText(DEFAULT_SCRIPT_LIMITS.value),
    readSize,
  ),
};

/** The limits of query texts, whose flags are defined with their errors. */
export const QUERY_LIMIT_SETTINGS: Readonly<Record<keyof QueryLimits, Setting<number>>> = {
  tokens: queryLimit('tokens', 'How many tokens a text of statements may have'),
  statements: queryLimit('statements', 'How many statements it may have'),
  code: queryLimit('code', 'How many tokens one of its statements may have, besides arrays and objects of plain data'),
};

type ValuesOf<S> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };
export type Configuration = Omit<ValuesOf<typeof SETTINGS>, keyof CapabilityConfiguration> &
  CapabilityConfiguration & {
    readonly limits: HttpLimits;
    readonly memoryLimits: MemoryLimits;
    readonly scriptLimits: ScriptLimits;
    readonly graphqlLimits: GraphqlLimits;
    readonly queryLimits: QueryLimits;
  };

/** All settings by their headings, in the order of `--help`. */
export const SETTING_GROUPS: Readonly<Record<string, Readonly<Record<string, Setting<unknown>>>>> = {
  Server: SERVER_SETTINGS,
  'Who may do what': ACCESS_SETTINGS,
  GraphQL: GRAPHQL_SETTINGS,
  Transactions: TRANSACTION_SETTINGS,
  Limits: LIMITS,
  'Limits of query texts': QUERY_LIMIT_SETTINGS,
  Memory: MEMORY_LIMITS,
  'Embedded JavaScript': SCRIPT_LIMITS,
  'Limits of GraphQL': GRAPHQL_LIMITS,
};

export const ALL_SETTINGS: readonly Setting<unknown>[] = Object.values(SETTING_GROUPS).flatMap((group) =>
  Object.values(group),
);

type Environment = Readonly<Record<string, string | undefined>>;
/** The command line's value of a setting, as text. */
export type CommandLine = (setting: Setting<unknown>) => string | undefined;

/** The value of a setting as text, and where it is given: `--bind`, `SVC_BIND`, `tessera.toml:3: bind`. */
export interface GivenSetting {
  readonly text: string;
  readonly source: string;
}
/** The value that a configuration file has for a setting. */
export type SettingsFile = (setting: Setting<unknown>) => GivenSetting | undefined;

/** Where settings are given; the file counts least. */
export interface SettingSources {
  readonly commandLine: CommandLine;
  readonly environment: Environment;
  readonly file: SettingsFile | undefined;
}

/**
 * Reads all settings: from the command line, our environment variable, the reference server's, the configuration file
 * or the default, in this order.
 * @throws ConfigurationError naming the flag, variable or line and the problem
 */
export function readConfiguration(
  commandLine: CommandLine,
  environment: Environment,
  file?: SettingsFile,
): Configuration {
  const sources = { commandLine, environment, file };
  const readAll = <S extends Readonly<Record<string, Setting<unknown>>>>(settings: S): ValuesOf<S> =>
    Object.fromEntries(
      Object.entries(settings).map(([name, setting]) => [name, readOne(setting, sources)]),
    ) as ValuesOf<S>;
  const given = readAll(SETTINGS);
  const legacy = environment['SVC_EXPERIMENTAL_GRAPHQL'];
  const graphql = legacy !== undefined && legacy !== '' && readFrom('SVC_EXPERIMENTAL_GRAPHQL', legacy, toggleGraphql);
  const settled: Configuration = {
    ...given,
    pass: passOf(given),
    ...settleCapabilities(given, graphql),
    limits: readAll(LIMITS),
    memoryLimits: readAll(MEMORY_LIMITS),
    scriptLimits: readAll(SCRIPT_LIMITS),
    graphqlLimits: readAll(GRAPHQL_LIMITS),
    queryLimits: readAll(QUERY_LIMIT_SETTINGS),
  };
  checkTogether(settled);
  return settled;
}

const toggleGraphql = toggle({ flag: '', description: '' });

/** The value of a setting that counts, as text; `undefined` where the default does. */
export function givenSetting(
  setting: Setting<unknown>,
  { commandLine, environment, file }: SettingSources,
): GivenSetting | undefined {
  const given = commandLine(setting);
  if (given !== undefined) return { text: given, source: optionName(setting) };
  for (const variable of [variableName(setting), setting.peer]) {
    const text = variable === undefined ? undefined : environment[variable];
    if (variable !== undefined && text !== undefined && text !== '') return { text, source: variable };
  }
  return file?.(setting);
}

function readOne<T>(setting: Setting<T>, sources: SettingSources): T {
  const given = givenSetting(setting, sources);
  return given === undefined ? setting.read(undefined) : readFrom(given.source, given.text, setting);
}

function readFrom<T>(source: string, text: string, setting: Setting<T>): T {
  try {
    return setting.read(text);
  } catch (error) {
    throw new ConfigurationError(`${source}: ${(error as Error).message}`);
  }
}

/** The first user's password. */
function passOf({ pass, passFile }: Pick<Configuration, 'pass' | 'passFile'>): string | undefined {
  if (passFile === undefined) return pass;
  if (pass !== undefined) throw new ConfigurationError('--pass and --pass-file exclude each other');
  return readPassFile(passFile);
}

/** Checks combinations of settings. */
function checkTogether(configuration: Configuration): void {
  const { user, pass, webCrt, webKey, clientIp, trustedProxy, auditLog, auditKeyFile } = configuration;
  const { graphqlDocuments, graphqlTrustedOnly, path, workers, archive } = configuration;
  if ((user === undefined) !== (pass === undefined)) throw new ConfigurationError('--user and --pass need each other');
  if (user === '' || pass === '') throw new ConfigurationError('--user and --pass must not be empty');
  if ((webCrt === undefined) !== (webKey === undefined)) {
    throw new ConfigurationError('--web-crt and --web-key need each other');
  }
  const { engine } = readStoreAddress(path);
  if (workers > 1 && engine !== 'lmdb')
    throw new ConfigurationError(`--workers ${workers} needs a store in a folder: ${engine} has one process`);
  if (archive !== undefined && engine !== 'lmdb')
    throw new ConfigurationError(`--archive needs a store in a folder, which ${engine} has not`);
  if (workers > 1 && auditLog === 'stdout')
    throw new ConfigurationError('--audit-log stdout needs --workers 1: each worker keeps an audit log of its own');
  if (auditKeyFile !== undefined && auditLog === undefined) {
    throw new ConfigurationError('--audit-key-file needs --audit-log');
  }
  if (graphqlTrustedOnly && graphqlDocuments === undefined) {
    throw new ConfigurationError('--graphql-trusted-only needs --graphql-documents');
  }
  if (clientIp !== 'socket' && clientIp !== 'none' && trustedProxy === undefined) {
    throw new ConfigurationError(
      `--client-ip ${clientIp} needs --trusted-proxy: anybody could set that header otherwise`,
    );
  }
}

function size(limit: keyof HttpLimits, description: string, peer?: string, read = readSize): Setting<number> {
  const row = { flag: `${LIMIT_SETTINGS[limit]} <size>`, description, ...(peer === undefined ? {} : { peer }) };
  return settingWithDefault(row, sizeText(DEFAULT_HTTP_LIMITS[limit]), read);
}

function queryLimit(name: keyof QueryLimits, description: string): Setting<number> {
  const row = { flag: `${QUERY_LIMITS[name].setting} <count>`, description };
  return settingWithDefault(row, String(QUERY_DEFAULTS[name]), readCount);
}

function count(limit: keyof HttpLimits, description: string): Setting<number> {
  return settingWithDefault(
    { flag: `${LIMIT_SETTINGS[limit]} <count>`, description },
    String(DEFAULT_HTTP_LIMITS[limit]),
    readCount,
  );
}

function readWithin(least: number, most: number): (text: string) => number {
  return (text) => {
    const bytes = readSize(text);
    if (bytes < least || bytes > most)
      throw new Error(`"${text}" is not between ${sizeText(least)} and ${sizeText(most)}`);
    return bytes;
  };
}
