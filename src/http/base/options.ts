/** Options of the HTTP server. Every limit has a setting, which its error names. */
import { type Capabilities, EVERYTHING } from '../../rpc/capabilities.js';
import type { ClientAddressSource } from './client-address.js';
import type { OriginRule } from './cors.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Limits on input. Sizes in bytes. */
export const DEFAULT_HTTP_LIMITS = {
  sqlBody: 1 * MIB,
  rpcBody: 4 * MIB,
  graphqlBody: 1 * MIB,
  apiBody: 4 * MIB,
  credentialsBody: 4 * KIB,
  keyBody: 16 * KIB,
  importBody: 4096 * MIB,
  fileBody: 4096 * MIB,
  /** Bodies without sign-in, on any of these routes. */
  guestBody: 64 * KIB,
  /** WebSocket messages before and after sign-in. */
  guestMessage: 64 * KIB,
  message: 16 * MIB,
  /** Values in a body or message, and keys of one object in it. */
  values: 1_000_000,
  guestValues: 8_192,
  objectKeys: 15_000,
  /** Queued requests of one WebSocket; the socket isn't read while the queue is full. */
  queuedRequests: 64,
  /** Bytes not yet read by a WebSocket client; no further request begins beyond it. */
  sendBuffer: 1 * MIB,
  /** An encoded response. */
  answer: 64 * MIB,
  connections: 10_000,
  connectionsPerAddress: 1_000,
  /** Connections that aren't WebSockets. */
  httpConnectionsPerAddress: 1_000,
  attachedSessions: 64,
  /** Sessions attached over HTTP, in all, and their bytes. */
  storedSessions: 4_096,
  storedSessionMemory: 16 * MIB,
  liveQueries: 1_000,
} as const;
export type HttpLimits = { readonly [K in keyof typeof DEFAULT_HTTP_LIMITS]: number };

/** The flag of `tessera start` that sets a limit. */
export const LIMIT_SETTINGS: Readonly<Record<keyof HttpLimits, string>> = {
  sqlBody: '--max-sql-body',
  rpcBody: '--max-rpc-body',
  graphqlBody: '--max-graphql-body',
  apiBody: '--max-api-body',
  credentialsBody: '--max-credentials-body',
  keyBody: '--max-key-body',
  importBody: '--max-import-body',
  fileBody: '--max-file-body',
  guestBody: '--max-guest-body',
  guestMessage: '--max-guest-message',
  message: '--max-message',
  values: '--max-values',
  guestValues: '--max-guest-values',
  objectKeys: '--max-object-keys',
  queuedRequests: '--max-queued-requests',
  sendBuffer: '--max-send-buffer',
  answer: '--max-answer',
  connections: '--max-connections',
  connectionsPerAddress: '--max-connections-per-address',
  httpConnectionsPerAddress: '--max-http-connections-per-address',
  attachedSessions: '--max-attached-sessions',
  storedSessions: '--max-stored-sessions',
  storedSessionMemory: '--max-stored-session-memory',
  liveQueries: '--max-live-queries',
};

/** By default any origin may call. */
export interface HttpOptions extends OriginRule {
  readonly limits: HttpLimits;
  /** The header `server`, such as `tessera/0.1.0`; without it neither `server` nor `surreal-version` is sent. */
  readonly product: string | undefined;
  readonly clientAddress: ClientAddressSource;
  /** Open sockets of all kinds: what the system's limit of open files leaves for them. */
  readonly sockets: number;
  /** Whether private responses are compressed on request, too (`compression.ts`). */
  readonly compress: boolean;
  readonly capabilities: Capabilities;
  /** The namespace and database that `use` selects if none is selected or given. */
  readonly defaults: { readonly namespace: string; readonly database: string } | undefined;
  /** Milliseconds; 0: never. A WebSocket without sign-in is closed then. */
  readonly signInTimeout: number;
  /** Milliseconds; 0: never. An idle WebSocket is closed then. */
  readonly idleTimeout: number;
  /** Milliseconds after which an unused session attached over HTTP is removed. */
  readonly storedSessionIdle: number;
  /** Milliseconds between pings. A WebSocket that misses two is closed. */
  readonly pingInterval: number;
  /**
   * Milliseconds within which a request must be received completely; for streamed bodies, its next chunk. 0: no limit.
   */
  readonly requestTimeout: number;
  /** Maximum duration of an import or export in milliseconds; 0: no limit. */
  readonly importTimeout: number;
  readonly exportTimeout: number;
}

const HOUR = 60 * 60 * 1000;

export const DEFAULT_HTTP_OPTIONS: HttpOptions = {
  limits: DEFAULT_HTTP_LIMITS,
  product: 'tessera',
  allowedOrigins: undefined,
  localOnly: false,
  clientAddress: { from: 'socket' },
  sockets: Number.POSITIVE_INFINITY,
  compress: false,
  capabilities: EVERYTHING,
  defaults: { namespace: 'main', database: 'main' },
  signInTimeout: 0,
  idleTimeout: 0,
  storedSessionIdle: 600_000,
  pingInterval: 30_000,
  requestTimeout: 60_000,
  importTimeout: HOUR,
  exportTimeout: HOUR,
};
