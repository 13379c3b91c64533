/** What an HTTP server can be told. Every limit names the setting that changes it, and so does its error. */
import { type Capabilities, EVERYTHING } from '../rpc/capabilities.js';
import type { ClientAddressSource } from './client-address.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Bounds on what comes from outside. Sizes in bytes. */
export const DEFAULT_LIMITS = {
  sqlBody: 1 * MIB,
  rpcBody: 4 * MIB,
  graphqlBody: 1 * MIB,
  apiBody: 4 * MIB,
  credentialsBody: 4 * KIB,
  keyBody: 16 * KIB,
  importBody: 4096 * MIB,
  /** A body of any of these routes from somebody who hasn't signed in. */
  guestBody: 64 * KIB,
  /** A WebSocket message before anyone has signed in, and afterwards. */
  guestMessage: 64 * KIB,
  message: 16 * MIB,
  /** Values that a body or a message may consist of, and keys of one object in it. */
  values: 1_000_000,
  objectKeys: 15_000,
  /** Requests of one WebSocket that wait for their turn; beyond it the socket isn't read. */
  queuedRequests: 64,
  /** Bytes that wait for a WebSocket client to read them; beyond it no further request is taken up. */
  sendBuffer: 1 * MIB,
  /** An answer in its format. */
  answer: 64 * MIB,
  connections: 10_000,
  connectionsPerAddress: 1_000,
  attachedSessions: 64,
  /** Sessions that are attached over HTTP, by everybody, and what they hold in bytes. */
  storedSessions: 4_096,
  storedSessionMemory: 16 * MIB,
  liveQueries: 1_000,
} as const;
export type Limits = { readonly [K in keyof typeof DEFAULT_LIMITS]: number };

/** The flag of `tessera start` that sets a limit. */
export const LIMIT_SETTINGS: Readonly<Record<keyof Limits, string>> = {
  sqlBody: '--max-sql-body',
  rpcBody: '--max-rpc-body',
  graphqlBody: '--max-graphql-body',
  apiBody: '--max-api-body',
  credentialsBody: '--max-credentials-body',
  keyBody: '--max-key-body',
  importBody: '--max-import-body',
  guestBody: '--max-guest-body',
  guestMessage: '--max-guest-message',
  message: '--max-message',
  values: '--max-values',
  objectKeys: '--max-object-keys',
  queuedRequests: '--max-queued-requests',
  sendBuffer: '--max-send-buffer',
  answer: '--max-answer',
  connections: '--max-connections',
  connectionsPerAddress: '--max-connections-per-address',
  attachedSessions: '--max-attached-sessions',
  storedSessions: '--max-stored-sessions',
  storedSessionMemory: '--max-stored-session-memory',
  liveQueries: '--max-live-queries',
};

export interface HttpOptions {
  readonly limits: Limits;
  /** The header `server`, such as `tessera/0.1.0`; neither it nor `surreal-version` is sent without. */
  readonly product: string | undefined;
  /** The only origins that browsers may come from; any if absent. */
  readonly allowedOrigins: readonly string[] | undefined;
  readonly clientAddress: ClientAddressSource;
  /** Whether answers that aren't public are compressed for those who ask, too (`compression.ts`). */
  readonly compress: boolean;
  readonly capabilities: Capabilities;
  /** What `use` selects when nothing is selected and nothing asked for. */
  readonly defaults: { readonly namespace: string; readonly database: string } | undefined;
  /** Milliseconds; 0 is never. A WebSocket on which nobody has signed in by then is closed. */
  readonly signInTimeout: number;
  /** Milliseconds; 0 is never. A WebSocket without a request for so long is closed. */
  readonly idleTimeout: number;
  /** Milliseconds. A session that was attached over HTTP is forgotten when no request has named it for so long. */
  readonly storedSessionIdle: number;
  /** Milliseconds between two pings. A WebSocket that is silent from one to the next but one is closed. */
  readonly pingInterval: number;
  /** Milliseconds within which a whole request must have come in; where whole databases are streamed, the next piece of it. 0 is never. */
  readonly requestTimeout: number;
  /** Milliseconds that an import or export may take in all; 0 is as long as it takes. */
  readonly importTimeout: number;
  readonly exportTimeout: number;
}

const HOUR = 60 * 60 * 1000;

export const DEFAULT_HTTP_OPTIONS: HttpOptions = {
  limits: DEFAULT_LIMITS,
  product: 'tessera',
  allowedOrigins: undefined,
  clientAddress: { from: 'socket' },
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
