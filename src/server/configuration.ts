/** Everything that `tessera start` can be told, as one table. */
import { DEFAULT_SCRIPT_LIMITS, LEAST_SCRIPT_MEMORY, type ScriptLimits } from '../exec/script/contract.js';
import { DEFAULT_FETCH_LIMITS } from '../functions/network/fetcher.js';
import { ROLES_SETTING } from '../graphql/allowance.js';
import { DEFAULT_GRAPHQL_LIMITS, GRAPHQL_LIMIT_SETTINGS, type GraphqlLimits } from '../graphql/limits.js';
import { DEFAULT_LIMITS, LIMIT_SETTINGS, type Limits } from '../http/options.js';
import { readRoleRules } from './graphql-roles.js';
import {
  ConfigurationError,
  nameOf,
  optional,
  readAddress,
  readAllOr,
  readChoice,
  readCount,
  readFunctionName,
  readList,
  readNetworks,
  readNetworkTarget,
  readSize,
  readText,
  readTime,
  type Setting,
  toggle,
  variableOf,
  withDefault,
} from './setting.js';

export const LOG_LEVELS = ['none', 'error', 'warn', 'info', 'debug', 'trace', 'full'] as const;

export const SETTINGS = {
  path: withDefault(
    { flag: '[path]', peer: 'SURREAL_PATH', description: 'Where the data is: a folder, or "memory"' },
    './data',
    readText,
  ),
  bind: withDefault(
    { flag: '-b, --bind <address>', peer: 'SURREAL_BIND', description: 'The address to listen at' },
    '127.0.0.1:8000',
    readAddress,
  ),
  user: optional(
    {
      flag: '-u, --user <name>',
      peer: 'SURREAL_USER',
      description: 'The first root user, an owner; made only if there is no root user yet',
    },
    readText,
  ),
  pass: optional({ flag: '-p, --pass <password>', peer: 'SURREAL_PASS', description: 'Its password' }, readText),
  allowGuests: toggle({
    flag: '--allow-guests',
    peer: 'SURREAL_CAPS_ALLOW_GUESTS',
    description: 'Let clients that haven’t signed in run statements, as far as PERMISSIONS allow',
  }),
  allowScripting: toggle({
    flag: '--allow-scripting',
    peer: 'SURREAL_CAPS_ALLOW_SCRIPTING',
    description: 'Let statements run embedded JavaScript: function() { … }',
  }),
  allowFuncs: withDefault(
    {
      flag: '--allow-funcs [names]',
      peer: 'SURREAL_CAPS_ALLOW_FUNC',
      description: 'The only functions and families of functions that may be called, such as string,math::abs',
    },
    'all',
    readAllOr(readFunctionName),
  ),
  denyFuncs: withDefault(
    {
      flag: '--deny-funcs [names]',
      peer: 'SURREAL_CAPS_DENY_FUNC',
      description: 'Those that may not; the more specific name counts',
    },
    'none',
    readAllOr(readFunctionName),
  ),
  allowNet: withDefault(
    {
      flag: '--allow-net [targets]',
      peer: 'SURREAL_CAPS_ALLOW_NET',
      description:
        'Where http::* may call and key sets come from: hosts, addresses and networks, with a port or without. Private addresses must be named as addresses',
    },
    'none',
    readAllOr(readNetworkTarget),
  ),
  denyNet: withDefault(
    {
      flag: '--deny-net [targets]',
      peer: 'SURREAL_CAPS_DENY_NET',
      description: 'Where it may not, whatever is allowed',
    },
    'none',
    readAllOr(readNetworkTarget),
  ),
  netTimeout: withDefault(
    { flag: '--net-timeout <time>', description: 'How long a request of http::* may take' },
    `${DEFAULT_FETCH_LIMITS.time / 1000}s`,
    readPositiveTime,
  ),
  maxNetResponse: withDefault(
    { flag: '--max-net-response <size>', description: 'The largest answer that it takes' },
    sizeText(DEFAULT_FETCH_LIMITS.response),
    readSize,
  ),
  allowWeakKeys: toggle({
    flag: '--allow-weak-keys',
    description:
      'Accept keys in DEFINE ACCESS that are too short, or no keys at all; the latter fail when they are used',
  }),
  log: withDefault(
    { flag: '-l, --log <level>', peer: 'SURREAL_LOG', description: `What to log: ${LOG_LEVELS.join(', ')}` },
    'info',
    readChoice(LOG_LEVELS),
  ),
  auditLog: optional(
    {
      flag: '--audit-log <target>',
      description: 'Keep an audit log: the path of a file, or stdout',
    },
    readText,
  ),
  auditKeyFile: optional(
    {
      flag: '--audit-key-file <file>',
      description: 'A file of 32 bytes or more: the key that seals the records of the audit log',
    },
    readText,
  ),
  allowExperimental: withDefault(
    { flag: '--allow-experimental <names>', description: 'Experimental parts to switch on: graphql' },
    '',
    (text) => readList(text).map(readChoice(['graphql'])),
  ),
  graphqlJson: withDefault(
    {
      flag: '--graphql-json <shape>',
      description:
        'What GraphQL answers to "Accept: application/json" alone: results (an entry for each root field) or standard',
    },
    'results',
    readChoice(['results', 'standard']),
  ),
  graphqlDocuments: optional(
    {
      flag: '--graphql-documents <file>',
      description: 'A JSON manifest of GraphQL documents that clients may name by id',
    },
    readText,
  ),
  graphqlRoles: withDefault(
    {
      flag: `${ROLES_SETTING} <rules>`,
      description:
        'GraphQL limits for guest, record, viewer, editor or owner, by the names of their flags: "guest: depth=5 introspection=none; record: values=10000"',
    },
    '',
    (text) => readRoleRules(text, GRAPHQL_LIMITS),
  ),
  graphqlTrustedOnly: toggle({
    flag: '--graphql-trusted-only',
    description: 'Run no other GraphQL documents than those of the manifest',
  }),
  graphqlHideDenied: toggle({
    flag: '--graphql-hide-denied',
    description: 'Leave out of GraphQL schemas for record users and guests what PERMISSIONS never show them',
  }),
  fieldPermissions: withDefault(
    {
      flag: '--field-permissions <rule>',
      description:
        'Whether a field without PERMISSIONS follows its table (inherit) or is hidden from record users (none)',
    },
    'inherit',
    readChoice(['inherit', 'none']),
  ),
  strictPermissions: toggle({
    flag: '--strict-permissions',
    description: 'Make a write that PERMISSIONS refuse an error, rather than leaving it out silently',
  }),
  queryTimeout: withDefault(
    { flag: '--query-timeout <time>', peer: 'SURREAL_QUERY_TIMEOUT', description: 'How long one request may run' },
    '60s',
    readTime,
  ),
  sessionIdle: withDefault(
    {
      flag: '--session-idle <time>',
      description: 'How long somebody who is signed in may do nothing before the session expires',
    },
    'none',
    readTime,
  ),
  sessionLifetime: withDefault(
    {
      flag: '--session-lifetime <time>',
      description: 'How long the session of a record user may last, whatever it does',
    },
    'none',
    readTime,
  ),
  maxUserSessions: withDefault(
    {
      flag: '--max-user-sessions <count>',
      description: 'How many sessions on connections a record user may have; one more ends the oldest',
    },
    '1000',
    readCount,
  ),
  defaultNamespace: withDefault(
    {
      flag: '--default-namespace <name>',
      peer: 'SURREAL_DEFAULT_NAMESPACE',
      description: 'Selected by a client that asks for the defaults',
    },
    'main',
    readText,
  ),
  defaultDatabase: withDefault(
    { flag: '--default-database <name>', peer: 'SURREAL_DEFAULT_DATABASE', description: 'Selected with it' },
    'main',
    readText,
  ),
  noDefaults: toggle({ flag: '--no-defaults', peer: 'SURREAL_NO_DEFAULTS', description: 'Select nothing by default' }),
  allowOrigin: optional(
    {
      flag: '--allow-origin <origins>',
      description: 'The only origins that web pages may call from, such as https://example.com',
    },
    readList,
  ),
  clientIp: withDefault(
    {
      flag: '--client-ip <source>',
      peer: 'SURREAL_CLIENT_IP',
      description:
        'Where a client’s address comes from: socket, none, or a header such as X-Forwarded-For of a trusted proxy',
    },
    'socket',
    readHeaderName,
  ),
  trustedProxy: optional(
    { flag: '--trusted-proxy <networks>', description: 'The proxies that may set that header, such as 10.0.0.0/8' },
    readNetworks,
  ),
  webCrt: optional(
    { flag: '--web-crt <file>', peer: 'SURREAL_WEB_CRT', description: 'The certificate for TLS' },
    readText,
  ),
  webKey: optional({ flag: '--web-key <file>', peer: 'SURREAL_WEB_KEY', description: 'Its private key' }, readText),
  signInTimeout: withDefault(
    { flag: '--sign-in-timeout <time>', description: 'Close a WebSocket on which nobody has signed in by then' },
    'none',
    readTime,
  ),
  idleTimeout: withDefault(
    { flag: '--idle-timeout <time>', description: 'Close a WebSocket without a request for so long' },
    'none',
    readTime,
  ),
  pingInterval: withDefault(
    { flag: '--ping-interval <time>', description: 'How often WebSockets are asked for a sign of life' },
    '30s',
    readPositiveTime,
  ),
  requestTimeout: withDefault(
    { flag: '--request-timeout <time>', description: 'How long an HTTP request may take to come in' },
    '60s',
    readPositiveTime,
  ),
  shutdownTimeout: withDefault(
    {
      flag: '--shutdown-timeout <time>',
      description: 'How long requests under way may take to end when the server stops',
    },
    '10s',
    readPositiveTime,
  ),
  noBanner: toggle({ flag: '--no-banner', peer: 'SURREAL_NO_BANNER', description: 'Print nothing at the start' }),
  noIdentificationHeaders: toggle({
    flag: '--no-identification-headers',
    peer: 'SURREAL_NO_IDENTIFICATION_HEADERS',
    description: 'Don’t say in headers what answers',
  }),
} as const;

/** The bounds of the HTTP room; their flags are named there, since their errors name them. */
export const LIMITS: Readonly<Record<keyof Limits, Setting<number>>> = {
  sqlBody: size('sqlBody', 'The largest body of POST /sql', 'SURREAL_HTTP_MAX_SQL_BODY_SIZE'),
  rpcBody: size('rpcBody', 'The largest body of POST /rpc', 'SURREAL_HTTP_MAX_RPC_BODY_SIZE'),
  graphqlBody: size('graphqlBody', 'The largest body of POST /graphql'),
  apiBody: size('apiBody', 'The largest body of a request to /api', 'SURREAL_HTTP_MAX_API_BODY_SIZE'),
  credentialsBody: size(
    'credentialsBody',
    'The largest body of POST /signin and /signup',
    'SURREAL_HTTP_MAX_SIGNIN_BODY_SIZE',
  ),
  guestMessage: size('guestMessage', 'The largest WebSocket message before sign-in'),
  message: size('message', 'The largest WebSocket message', 'SURREAL_WEBSOCKET_MAX_MESSAGE_SIZE'),
  queuedRequests: count('queuedRequests', 'How many requests of a WebSocket may wait'),
  sendBuffer: size('sendBuffer', 'How much may wait for a WebSocket client to read it'),
  connections: count('connections', 'How many WebSockets there may be'),
  connectionsPerAddress: count('connectionsPerAddress', 'How many of them from one address'),
  attachedSessions: count('attachedSessions', 'How many sessions a connection may attach'),
  liveQueries: count('liveQueries', 'How many live queries a connection may have'),
};

const LARGEST_SCRIPT_MEMORY = 2 ** 30;
/** Of what the interpreter takes up itself. */
const [LEAST_SCRIPT_STACK, LARGEST_SCRIPT_STACK] = [64 * 2 ** 10, 2 ** 20];

/** The bounds of embedded JavaScript. */
export const SCRIPT_LIMITS: Readonly<Record<keyof ScriptLimits, Setting<number>>> = {
  memory: withDefault(
    { flag: '--script-memory <size>', description: 'The memory of an interpreter for JavaScript, with its own 16 MiB' },
    sizeText(DEFAULT_SCRIPT_LIMITS.memory),
    readWithin(LEAST_SCRIPT_MEMORY, LARGEST_SCRIPT_MEMORY),
  ),
  stack: withDefault(
    {
      flag: '--script-stack <size>',
      peer: 'SURREAL_SCRIPTING_MAX_STACK_SIZE',
      description: 'The stack of one JavaScript function',
    },
    sizeText(DEFAULT_SCRIPT_LIMITS.stack),
    readWithin(LEAST_SCRIPT_STACK, LARGEST_SCRIPT_STACK),
  ),
  time: withDefault(
    { flag: '--script-time <time>', description: 'How long one JavaScript function may run' },
    `${DEFAULT_SCRIPT_LIMITS.time / 1000}s`,
    readPositiveTime,
  ),
  threads: withDefault(
    { flag: '--script-threads <count>', description: 'How many JavaScript functions may run at a time' },
    String(DEFAULT_SCRIPT_LIMITS.threads),
    readCount,
  ),
};

/** The bounds of the GraphQL room. */
export const GRAPHQL_LIMITS: Readonly<Record<keyof GraphqlLimits, Setting<number>>> = {
  depth: graphqlCount('depth', 'How deep the fields of a GraphQL query may be nested, unless its database says'),
  complexity: graphqlCount('complexity', 'How many fields it may have, unless its database says'),
  rootFields: graphqlCount('rootFields', 'How many fields it may have on its first level'),
  aliases: graphqlCount('aliases', 'How many aliases it may have'),
  directives: graphqlCount('directives', 'How many directives it may have'),
  tokens: graphqlCount('tokens', 'How many tokens its text may have'),
  nesting: graphqlCount('nesting', 'How deep its brackets may be nested'),
  inputs: graphqlCount('inputs', 'How many values its variables may have'),
  conditions: graphqlCount('conditions', 'How many conditions its filters may have'),
  rows: graphqlCount('rows', 'How many records one of its lists may give'),
  values: graphqlCount('values', 'How many fields its answer may have: records times fields'),
  time: withDefault(
    { flag: `${GRAPHQL_LIMIT_SETTINGS.time} <time>`, description: 'How long a GraphQL request may take' },
    `${DEFAULT_GRAPHQL_LIMITS.time / 1000}s`,
    readPositiveTime,
  ),
  batch: graphqlCount('batch', 'How many GraphQL operations one HTTP request may send; 1 takes no arrays of them'),
};

type ValuesOf<S> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };
export type Configuration = ValuesOf<typeof SETTINGS> & {
  readonly limits: Limits;
  readonly scriptLimits: ScriptLimits;
  readonly graphqlLimits: GraphqlLimits;
};

/** Every setting, in the order of `--help`. */
export const ALL_SETTINGS: readonly Setting<unknown>[] = [
  ...Object.values(SETTINGS),
  ...Object.values(LIMITS),
  ...Object.values(SCRIPT_LIMITS),
  ...Object.values(GRAPHQL_LIMITS),
];

type Environment = Readonly<Record<string, string | undefined>>;
/** What the command line says about a setting, as text. */
export type CommandLine = (setting: Setting<unknown>) => string | undefined;

/**
 * Reads every setting: from the command line, else from our environment variable, else from the peer's, else its default.
 * @throws ConfigurationError that names the flag or the variable and says what is wrong with it
 */
export function readConfiguration(commandLine: CommandLine, environment: Environment): Configuration {
  const readAll = <S extends Readonly<Record<string, Setting<unknown>>>>(settings: S): ValuesOf<S> =>
    Object.fromEntries(
      Object.entries(settings).map(([name, setting]) => [name, readOne(setting, commandLine, environment)]),
    ) as ValuesOf<S>;
  const configuration = {
    ...readAll(SETTINGS),
    limits: readAll(LIMITS),
    scriptLimits: readAll(SCRIPT_LIMITS),
    graphqlLimits: readAll(GRAPHQL_LIMITS),
  };
  const legacy = environment['SVC_EXPERIMENTAL_GRAPHQL'];
  const settled =
    legacy === undefined || legacy === '' || !readFrom('SVC_EXPERIMENTAL_GRAPHQL', legacy, toggleGraphql)
      ? configuration
      : { ...configuration, allowExperimental: ['graphql' as const] };
  checkTogether(settled);
  return settled;
}

const toggleGraphql = toggle({ flag: '', description: '' });

function readOne<T>(setting: Setting<T>, commandLine: CommandLine, environment: Environment): T {
  const given = commandLine(setting);
  if (given !== undefined) return readFrom(nameOf(setting), given, setting);
  for (const variable of [variableOf(setting), setting.peer]) {
    const text = variable === undefined ? undefined : environment[variable];
    if (variable !== undefined && text !== undefined && text !== '') return readFrom(variable, text, setting);
  }
  return setting.read(undefined);
}

function readFrom<T>(source: string, text: string, setting: Setting<T>): T {
  try {
    return setting.read(text);
  } catch (error) {
    throw new ConfigurationError(`${source}: ${(error as Error).message}`);
  }
}

/** What single settings can't say. */
function checkTogether(configuration: Configuration): void {
  const { user, pass, webCrt, webKey, clientIp, trustedProxy, auditLog, auditKeyFile } = configuration;
  const { graphqlDocuments, graphqlTrustedOnly } = configuration;
  if ((user === undefined) !== (pass === undefined)) throw new ConfigurationError('--user and --pass need each other');
  if (user === '' || pass === '') throw new ConfigurationError('--user and --pass must not be empty');
  if ((webCrt === undefined) !== (webKey === undefined)) {
    throw new ConfigurationError('--web-crt and --web-key need each other');
  }
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

function size(limit: keyof Limits, description: string, peer?: string): Setting<number> {
  const row = { flag: `${LIMIT_SETTINGS[limit]} <size>`, description, ...(peer === undefined ? {} : { peer }) };
  return withDefault(row, sizeText(DEFAULT_LIMITS[limit]), readSize);
}

function count(limit: keyof Limits, description: string): Setting<number> {
  return withDefault(
    { flag: `${LIMIT_SETTINGS[limit]} <count>`, description },
    String(DEFAULT_LIMITS[limit]),
    readCount,
  );
}

function graphqlCount(limit: keyof GraphqlLimits, description: string): Setting<number> {
  const flag = `${GRAPHQL_LIMIT_SETTINGS[limit]} <count>`;
  return withDefault({ flag, description }, String(DEFAULT_GRAPHQL_LIMITS[limit]), readCount);
}

function sizeText(bytes: number): string {
  return bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20}MiB` : `${bytes / 2 ** 10}KiB`;
}

function readPositiveTime(text: string): number {
  const milliseconds = readTime(text);
  if (milliseconds === 0) throw new Error('it must be more than nothing');
  return milliseconds;
}

function readWithin(least: number, most: number): (text: string) => number {
  return (text) => {
    const bytes = readSize(text);
    if (bytes < least || bytes > most)
      throw new Error(`"${text}" is not between ${sizeText(least)} and ${sizeText(most)}`);
    return bytes;
  };
}

/** Header names are compared in lower case, as Node gives them. */
function readHeaderName(text: string): string {
  if (!/^[A-Za-z][A-Za-z-]*$/.test(text)) throw new Error(`"${text}" is neither socket, none nor the name of a header`);
  return text.toLowerCase();
}
