/** Settings of the server, its storage and its connections. */
import { DEFAULT_LIVE_MAX_AGE } from '../../session/resources/live-quota.js';
import { DEFAULT_VERIFY_UP_TO, MAX_WORKERS } from '../../storage/lmdb/file/lmdb-limits.js';
import {
  optionalSetting,
  readAddress,
  readAllOr,
  readCount,
  readList,
  readNetworks,
  readPositiveTime,
  readStreamedSize,
  readText,
  readTime,
  settingWithDefault,
  sizeText,
  toggle,
} from '../setting.js';

export const LOG_LEVELS = ['none', 'error', 'warn', 'info', 'debug', 'trace', 'full'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const SERVER_SETTINGS = {
  path: settingWithDefault(
    {
      flag: '[path]',
      peer: 'SURREAL_PATH',
      description: 'Where the data is: a folder, "memory", or an address as in SurrealDB',
    },
    './data',
    readText,
  ),
  verifyAtStart: settingWithDefault(
    {
      flag: '--verify-at-start <size>',
      description:
        'Read a data file of up to this size completely at the start, and verify all pages and checksums in it',
    },
    sizeText(DEFAULT_VERIFY_UP_TO),
    readStreamedSize,
  ),
  archive: optionalSetting(
    {
      flag: '--archive <folder>',
      description: 'Archive every write of a store in a folder there, so that it can be restored to any time',
    },
    readText,
  ),
  bind: settingWithDefault(
    { flag: '-b, --bind <address>', peer: 'SURREAL_BIND', description: 'The address to listen at' },
    '127.0.0.1:8000',
    readAddress,
  ),
  metricsBind: optionalSetting(
    {
      flag: '--metrics-bind <address>',
      description: 'Another address for GET /metrics, without sign-in; at the main one it needs a root user',
    },
    readAddress,
  ),
  workers: settingWithDefault(
    {
      flag: '--workers <count>',
      description: `How many processes serve the store together, for as many cores; at most ${MAX_WORKERS}, and one unless it is in a folder`,
    },
    '1',
    readWorkers,
  ),
  log: settingWithDefault(
    { flag: '-l, --log <level>', peer: 'SURREAL_LOG', description: `What to log: ${LOG_LEVELS.join(', ')}` },
    'info',
    readLogLevel,
  ),
  slowLogThreshold: settingWithDefault(
    {
      flag: '--slow-log-threshold <time>',
      peer: 'SURREAL_SLOW_QUERY_LOG_THRESHOLD',
      description: 'Log statements that take so long, and those that are cut off',
    },
    'none',
    readTime,
  ),
  slowLogParamAllow: settingWithDefault(
    {
      flag: '--slow-log-param-allow <names>',
      peer: 'SURREAL_SLOW_QUERY_LOG_PARAM_ALLOW',
      description: 'The parameters whose values these lines may show, or all; never those that sound like secrets',
    },
    'none',
    readNames,
  ),
  slowLogParamDeny: settingWithDefault(
    {
      flag: '--slow-log-param-deny <names>',
      peer: 'SURREAL_SLOW_QUERY_LOG_PARAM_DENY',
      description: 'Those whose values they may not show; takes precedence',
    },
    'none',
    readNames,
  ),
  auditLog: optionalSetting(
    {
      flag: '--audit-log <target>',
      description: 'Keep an audit log: the path of a file, or stdout',
    },
    readText,
  ),
  auditKeyFile: optionalSetting(
    {
      flag: '--audit-key-file <file>',
      description: 'A file of 32 bytes or more: the key that seals the records of the audit log',
    },
    readText,
  ),
  queryTimeout: settingWithDefault(
    { flag: '--query-timeout <time>', peer: 'SURREAL_QUERY_TIMEOUT', description: 'How long one request may run' },
    '60s',
    readTime,
  ),
  liveMaxAge: settingWithDefault(
    {
      flag: '--live-max-age <time>',
      description: 'By how much the live queries of a connection may be behind the commits before they end',
    },
    `${DEFAULT_LIVE_MAX_AGE / 1000}s`,
    readPositiveTime,
  ),
  transactionTimeout: settingWithDefault(
    {
      flag: '--transaction-timeout <time>',
      peer: 'SURREAL_TRANSACTION_TIMEOUT',
      description: 'The same for the transactions of a request: the shorter time applies',
    },
    'none',
    readTime,
  ),
  defaultNamespace: settingWithDefault(
    {
      flag: '--default-namespace <name>',
      peer: 'SURREAL_DEFAULT_NAMESPACE',
      description: 'Selected by a client that asks for the defaults',
    },
    'main',
    readText,
  ),
  defaultDatabase: settingWithDefault(
    { flag: '--default-database <name>', peer: 'SURREAL_DEFAULT_DATABASE', description: 'Selected with it' },
    'main',
    readText,
  ),
  noDefaults: toggle({ flag: '--no-defaults', peer: 'SURREAL_NO_DEFAULTS', description: 'Select nothing by default' }),
  allowOrigin: optionalSetting(
    {
      flag: '--allow-origin <origins>',
      description:
        'The only origins that web pages may call from, such as https://example.com, or all; with --unauthenticated pages of this machine by default',
    },
    readAllOr((origin) => origin),
  ),
  compress: toggle({
    flag: '--compress',
    description:
      'Compress answers over HTTP that aren’t public, too; their length then reveals something of their content. Those of /rpc, /signin and /signup never are',
  }),
  clientIp: settingWithDefault(
    {
      flag: '--client-ip <source>',
      peer: 'SURREAL_CLIENT_IP',
      description:
        'Where a client’s address comes from: socket, none, or a header such as X-Forwarded-For of a trusted proxy',
    },
    'socket',
    readHeaderName,
  ),
  trustedProxy: optionalSetting(
    { flag: '--trusted-proxy <networks>', description: 'The proxies that may set that header, such as 10.0.0.0/8' },
    readNetworks,
  ),
  webCrt: optionalSetting(
    { flag: '--web-crt <file>', peer: 'SURREAL_WEB_CRT', description: 'The certificate for TLS' },
    readText,
  ),
  webKey: optionalSetting(
    { flag: '--web-key <file>', peer: 'SURREAL_WEB_KEY', description: 'Its private key' },
    readText,
  ),
  signInTimeout: settingWithDefault(
    { flag: '--sign-in-timeout <time>', description: 'Close a WebSocket without a sign-in after this time' },
    'none',
    readTime,
  ),
  idleTimeout: settingWithDefault(
    { flag: '--idle-timeout <time>', description: 'Close a WebSocket without a request for so long' },
    'none',
    readTime,
  ),
  storedSessionIdle: settingWithDefault(
    {
      flag: '--stored-session-idle <time>',
      description: 'Forget a session that was attached over HTTP and that no request has named for so long',
    },
    '10m',
    readPositiveTime,
  ),
  pingInterval: settingWithDefault(
    { flag: '--ping-interval <time>', description: 'How often WebSockets are pinged' },
    '30s',
    readPositiveTime,
  ),
  requestTimeout: settingWithDefault(
    { flag: '--request-timeout <time>', description: 'How long an HTTP request may take to come in' },
    '60s',
    readPositiveTime,
  ),
  importTimeout: settingWithDefault(
    { flag: '--import-timeout <time>', description: 'How long a request of /import may take in all' },
    '1h',
    readTime,
  ),
  exportTimeout: settingWithDefault(
    { flag: '--export-timeout <time>', description: 'How long a request of /export may take in all' },
    '1h',
    readTime,
  ),
  drainTime: settingWithDefault(
    {
      flag: '--drain-time <time>',
      description:
        'How long to go on serving, with 503 at `/ready`, before the server stops, so that load balancers notice',
    },
    '0s',
    readTime,
  ),
  shutdownTimeout: settingWithDefault(
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
    description: 'Don’t name the server and its version in headers',
  }),
  importFile: optionalSetting(
    {
      flag: '--import-file <file>',
      peer: 'SURREAL_IMPORT_FILE',
      description: 'Statements to run as an owner before the server accepts connections',
    },
    readText,
  ),
} as const;

function readWorkers(text: string): number {
  const count = readCount(text);
  if (count > MAX_WORKERS) throw new Error(`"${text}" is more than ${MAX_WORKERS}`);
  return count;
}

/** Names, `all` or `none`. */
function readNames(text: string): 'all' | readonly string[] {
  if (text === 'all') return 'all';
  return text === 'none' ? [] : readList(text).map((name) => name.replace(/^\$/, ''));
}

/** A level, possibly among filters such as `surreal=trace`, which are ignored. */
function readLogLevel(text: string): LogLevel {
  const plain = readList(text).filter((part) => !part.includes('='));
  const level = LOG_LEVELS.find((known) => known === plain[0]);
  if (level === undefined || plain.length > 1) throw new Error(`"${text}" is none of ${LOG_LEVELS.join(', ')}`);
  return level;
}

/** Header names are lower-cased, as in Node. */
function readHeaderName(text: string): string {
  if (!/^[A-Za-z][A-Za-z-]*$/.test(text)) throw new Error(`"${text}" is neither socket, none nor the name of a header`);
  return text.toLowerCase();
}
