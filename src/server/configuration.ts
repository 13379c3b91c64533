/** The table of all settings of `tessera start`. */
import type { RequestRates } from '../catalog/limits/request-rates.js';
import type { GraphqlLimits } from '../graphql/base/limits.js';
import type { HttpLimits } from '../http/base/options.js';
import type { QueryLimits } from '../language/parse.js';
import type { ScriptLimits } from '../runtime/script-runner.js';
import type { MemoryLimits } from '../session/resources/server-memory.js';
import { readStoreAddress } from '../storage/address.js';
import { type CapabilityConfiguration, settleCapabilities } from './capabilities.js';
import { readPassFile } from './secret-files.js';
import { ConfigurationError, optionName, type Setting, toggle, variableName } from './setting.js';
import { ACCESS_SETTINGS } from './settings/access.js';
import { GRAPHQL_LIMITS, GRAPHQL_SETTINGS } from './settings/graphql.js';
import { LIMITS, QUERY_LIMIT_SETTINGS } from './settings/limits.js';
import { MAIL_SETTINGS } from './settings/mail.js';
import { MEMORY_LIMITS } from './settings/memory.js';
import { RATE_SETTINGS } from './settings/rates.js';
import { SCRIPT_LIMITS } from './settings/scripts.js';
import { SERVER_SETTINGS } from './settings/server.js';
import { TRANSACTION_SETTINGS } from './settings/transactions.js';

export const SETTINGS = {
  ...SERVER_SETTINGS,
  ...ACCESS_SETTINGS,
  ...MAIL_SETTINGS,
  ...GRAPHQL_SETTINGS,
  ...TRANSACTION_SETTINGS,
} as const;

type ValuesOf<S> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };
export type Configuration = Omit<ValuesOf<typeof SETTINGS>, keyof CapabilityConfiguration> &
  CapabilityConfiguration & {
    readonly limits: HttpLimits;
    readonly memoryLimits: MemoryLimits;
    readonly rates: RequestRates;
    readonly scriptLimits: ScriptLimits;
    readonly graphqlLimits: GraphqlLimits;
    readonly queryLimits: QueryLimits;
  };

/** All settings by their headings, in the order of `--help`. */
export const SETTING_GROUPS: Readonly<Record<string, Readonly<Record<string, Setting<unknown>>>>> = {
  Server: SERVER_SETTINGS,
  'Who may do what': ACCESS_SETTINGS,
  'Mail and links': MAIL_SETTINGS,
  GraphQL: GRAPHQL_SETTINGS,
  Transactions: TRANSACTION_SETTINGS,
  Limits: LIMITS,
  'Limits of query texts': QUERY_LIMIT_SETTINGS,
  'Rates of requests': RATE_SETTINGS,
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
    rates: readAll(RATE_SETTINGS),
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
  return readPassFile(passFile, '--pass-file');
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
  const { mailUrl, mailFrom, mailPasswordFile } = configuration;
  if ((mailUrl === undefined) !== (mailFrom === undefined))
    throw new ConfigurationError('--mail-url and --mail-from need each other');
  if ((mailUrl?.user === undefined) !== (mailPasswordFile === undefined))
    throw new ConfigurationError('A user in --mail-url and --mail-password-file need each other');
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
