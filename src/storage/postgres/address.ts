/** Addresses of stores in PostgreSQL: connection URIs as its own clients take them, with some parameters of ours. */
import { readFileSync } from 'node:fs';
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import { isLoopbackHost } from '../../base/loopback.js';
import { failure } from '../../errors/error.js';
import { withoutPassword } from '../address.js';
import type { PostgresOptions } from './store.js';

/** The settings in an address. */
export type PostgresAddress = Pick<
  PostgresOptions,
  | 'host'
  | 'port'
  | 'database'
  | 'user'
  | 'password'
  | 'tls'
  | 'connectTimeout'
  | 'commitTimeout'
  | 'readTimeout'
  | 'logRetention'
  | 'applicationName'
  | 'schema'
  | 'connections'
>;

const DEFAULT_PORT = 5432;
const DEFAULT_SCHEMA = 'tessera';
const DEFAULT_CONNECT_TIMEOUT = 10_000;
const DEFAULT_COMMIT_TIMEOUT = 10_000;
const DEFAULT_READ_TIMEOUT = 30_000;
/** Longer than transactions, than interruptions of nodes, and than clients take to reconnect. */
const DEFAULT_LOG_RETENTION = 15 * 60_000;
const DEFAULT_CONNECTIONS = 16;
const MOST_CONNECTIONS = 1_000;

/** The parameters that a URI may have, named as in libpq if it has them. */
const PARAMETERS: Readonly<Record<string, (value: string) => Partial<PostgresAddress> | undefined>> = {
  schema: (schema) => (schema === '' ? undefined : { schema }),
  connections: (value) => numberUpTo(value, MOST_CONNECTIONS, (connections) => ({ connections })),
  connect_timeout: (value) => numberUpTo(value, 3_600, (seconds) => ({ connectTimeout: seconds * 1_000 })),
  commit_timeout: (value) => numberUpTo(value, 3_600, (seconds) => ({ commitTimeout: seconds * 1_000 })),
  read_timeout: (value) => numberUpTo(value, 3_600, (seconds) => ({ readTimeout: seconds * 1_000 })),
  log_retention: (value) => numberUpTo(value, 31 * 86_400, (seconds) => ({ logRetention: seconds * 1_000 })),
  application_name: (applicationName) => ({ applicationName }),
  // These are read together.
  sslmode: (value) => (Object.hasOwn(TLS_MODES, value) ? {} : undefined),
  sslrootcert: () => ({}),
};

/** `sslmode`, as in libpq: whether TLS is used, and whether the certificate and the name in it are verified. */
const TLS_MODES: Readonly<Record<string, (ca: string | undefined) => TlsOptions | undefined>> = {
  disable: () => undefined,
  require: () => ({ rejectUnauthorized: false }),
  'verify-ca': (ca) => ({ ...withCa(ca), checkServerIdentity: () => undefined }),
  'verify-full': withCa,
};

/**
 * Reads an address. TLS is used as `sslmode` says (`disable`, `require`, `verify-ca`, `verify-full`); without it,
 * certificate and name are verified, but for a server on this machine, where the connection is plain.
 *
 *     readPostgresAddress('postgres://app:secret@db.internal/shop?schema=tessera&connections=32')
 *
 * @throws TesseraError `storage_address`, which doesn't show the password; Error of the system where `sslrootcert`
 * can't be read
 */
export function readPostgresAddress(address: string): PostgresAddress {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const refused = () => failure('storage_address', { address: withoutPassword(address) });
  if (url === undefined || url.hostname === '' || url.hash !== '') throw refused();
  let read: PostgresAddress = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    user: url.username === '' ? 'postgres' : decodeURIComponent(url.username),
    password: url.password === '' ? process.env['PGPASSWORD'] : decodeURIComponent(url.password),
    database: url.pathname.length > 1 ? decodeURIComponent(url.pathname.slice(1)) : 'postgres',
    schema: DEFAULT_SCHEMA,
    connections: DEFAULT_CONNECTIONS,
    connectTimeout: DEFAULT_CONNECT_TIMEOUT,
    commitTimeout: DEFAULT_COMMIT_TIMEOUT,
    readTimeout: DEFAULT_READ_TIMEOUT,
    logRetention: DEFAULT_LOG_RETENTION,
    applicationName: 'tessera',
    tls: undefined,
  };
  for (const [name, value] of url.searchParams) {
    const parameter = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name]?.(value) : undefined;
    if (parameter === undefined) throw refused();
    read = { ...read, ...parameter };
  }
  const mode = url.searchParams.get('sslmode') ?? (isLoopbackHost(read.host) ? 'disable' : 'verify-full');
  const certificate = url.searchParams.get('sslrootcert');
  const ca = certificate === null ? undefined : readFileSync(certificate, 'utf8');
  return { ...read, tls: TLS_MODES[mode]?.(ca) };
}

function withCa(ca: string | undefined): TlsOptions {
  return ca === undefined ? {} : { ca };
}

function numberUpTo<T>(value: string, most: number, make: (number: number) => T): T | undefined {
  const number = Number(value);
  return Number.isInteger(number) && number > 0 && number <= most ? make(number) : undefined;
}
