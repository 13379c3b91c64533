/** The services shared by all routes. */
import type { FastifyRequest } from 'fastify';
import type { Environment } from '../../env/environment.js';
import type { GraphqlEvents } from '../../graphql/transports/event-stream.js';
import type { GraphqlHandler } from '../../graphql/transports/handler.js';
import type { OpenGraphqlSocket } from '../../graphql/transports/transport-ws.js';
import type { ServerMetrics } from '../../metrics/server-metrics.js';
import type { MetricsText } from '../../metrics/text.js';
import type { RpcOptions } from '../../rpc/connection.js';
import type { StoredSessions } from '../../rpc/stored-sessions.js';
import type { Database, Session } from '../../session/contract.js';
import type { Tracer } from '../../tracing/tracer.js';
import type { ActiveUploads } from './active-uploads.js';
import type { ConnectionCount } from './connection-count.js';
import type { Log } from './log.js';
import type { HttpOptions } from './options.js';
import type { Manual, WebPage } from './page.js';
import type { RequestId } from './request-id.js';
import type { RequestTurns } from './request-turns.js';
import type { Setup } from './setup.js';

export interface Context {
  readonly database: Database;
  readonly options: HttpOptions;
  readonly rpc: RpcOptions;
  readonly graphql: GraphqlHandler | undefined;
  /** The GraphQL schema as a session may see it, as text. */
  readonly graphqlSchema: ((session: Session) => Promise<string>) | undefined;
  /** The GraphQL subprotocols over WebSockets. */
  readonly graphqlSocket: OpenGraphqlSocket | undefined;
  /** GraphQL responses as server-sent events. */
  readonly graphqlEvents: GraphqlEvents | undefined;
  /** The pages of `GET /graphql`, `GET /`, `GET /studio` and `/auth`; absent where they haven't been built. */
  readonly graphqlPage: WebPage | undefined;
  readonly welcome: WebPage | undefined;
  readonly studio: WebPage | undefined;
  /** The pages of `GET /docs`; absent where they haven't been built. */
  readonly docs: Manual | undefined;
  readonly authPage: WebPage | undefined;
  /** Makes the first root user; absent where that isn't offered. */
  readonly setup: Setup | undefined;
  /** Sessions attached over HTTP. */
  readonly storedSessions: StoredSessions;
  /** Of requests over HTTP, and of messages over WebSockets. */
  readonly turns: RequestTurns;
  /** Counts long-lived connections. */
  readonly connections: ConnectionCount;
  /** Aborts each open event stream when the server stops. */
  readonly streams: Set<() => void>;
  readonly uploads: ActiveUploads;
  /** Absent where nothing is counted. */
  readonly metrics: ServerMetrics | undefined;
  /** Absent where nothing is traced. */
  readonly tracer: Tracer | undefined;
  /** The metrics of the process in a format of Prometheus. */
  readonly metricsText: MetricsText | undefined;
  /** The last lines of the log, each a JSON object; absent where none are kept. */
  readonly recentLog: (() => string) | undefined;
  /** The settings of the start, as a list that may be shown to owners; absent where they aren't known. */
  readonly settings: readonly object[] | undefined;
  readonly environment: Environment;
  readonly log: Log;
  readonly requestId: RequestId;
}

/** The context of one route's handler. */
export interface RouteContext extends Context {
  /** The route's name in capability rules: `sql`, `api`. */
  readonly route: string;
  /** Whether a request is a query (`Route.querying`). */
  readonly querying: boolean;
  /** Signs the session of a request in by what is in its address (`Route.enterBy`). */
  readonly enterBy?: ((request: FastifyRequest, session: Session) => Promise<void>) | undefined;
}
