/** Starts a server: storage, database, HTTP. */
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { VERSION } from '../base/package-version.js';
import { realEnvironment } from '../env/real.js';
import type { ClientAddressSource } from '../http/base/client-address.js';
import type { OriginRule } from '../http/base/cors.js';
import type { Log } from '../http/base/log.js';
import type { Setup } from '../http/base/setup.js';
import { createHttpServer } from '../http/server.js';
import type { MetricsText } from '../metrics/text.js';
import type { OpenDatabase } from '../session/database/database.js';
import type { Configuration } from './configuration.js';
import { gaugesOf } from './gauges.js';
import { readManual } from './manual.js';
import { PrometheusText, serveMetrics } from './metrics-server.js';
import type { Tracing } from './otlp.js';
import { readWebPage } from './pages.js';
import type { RecentLines } from './recent-lines.js';
import { ConfigurationError } from './setting.js';
import type { ListedSetting } from './settings-list.js';

/** A database behind an HTTP server that listens on no port yet. */
export interface Service {
  readonly app: FastifyInstance;
  /** Where metrics are answered without signing in: `http://127.0.0.1:9100/metrics`. */
  readonly metricsUrl: string | undefined;
  /** Says in `/ready` that it stops, for as long as configured, so that load balancers send it no more. */
  drain(): Promise<void>;
  /**
   * Completes the requests in progress, accepts no further ones, and closes the database.
   * `connections`: where they come from, if not from a port of this process.
   */
  close(connections?: ConnectionSource): Promise<void>;
}

/** What hands connections to the server of a process that doesn't listen itself. */
export interface ConnectionSource {
  /** Hands over no further ones. */
  stop(): void;
  /** Waits until those that it has handed over have ended. */
  ended(): Promise<void>;
}

export interface RunningServer extends Pick<Service, 'metricsUrl'> {
  /** The URL: `http://127.0.0.1:8000`. */
  readonly url: string;
  /** Drains, then closes. */
  close(): Promise<void>;
}

export interface ServerParts {
  readonly database: OpenDatabase;
  readonly log: Log;
  /** The last lines of the log; absent where none are shown. */
  readonly recentLines?: RecentLines | undefined;
  /** Those of the start; absent where they aren't known. */
  readonly settings?: readonly ListedSetting[] | undefined;
  /** Absent where nothing is traced. */
  readonly tracing?: Tracing | undefined;
  /** Makes the first root user; absent where that isn't offered. */
  readonly setup?: Setup | undefined;
  /** Requests are accepted only after it resolves. */
  readonly prepared: Promise<unknown>;
}

/** Starts to listen. The database is closed with the server, and if the start fails. */
export async function startServer(configuration: Configuration, parts: ServerParts): Promise<RunningServer> {
  const { app, metricsUrl, drain, close } = await createService(configuration, parts);
  try {
    await app.listen(configuration.bind);
  } catch (error) {
    await close();
    throw error;
  }
  const url = urlOf(configuration, app.server.address() as AddressInfo);
  return { url, metricsUrl, close: () => drain().then(() => close()) };
}

/** Everything of a server but its port. The database is closed with it, and if that fails. */
export async function createService(configuration: Configuration, parts: ServerParts): Promise<Service> {
  const { database, prepared, tracing } = parts;
  try {
    const metricsText = new PrometheusText([
      ...(database.metrics?.families() ?? []),
      ...database.storeMetrics,
      ...gaugesOf(database),
    ]);
    const [app] = await Promise.all([createServer(configuration, parts, metricsText), prepared]);
    const { metricsBind } = configuration;
    const metricsServer = metricsBind && (await serveMetrics(metricsBind, metricsText));
    await app.ready();
    return {
      app,
      metricsUrl: metricsServer?.url,
      drain: async () => {
        database.drain();
        if (configuration.drainTime > 0) await realEnvironment.timers.wait(configuration.drainTime);
      },
      close: async (connections) => {
        connections?.stop();
        await app.close();
        await connections?.ended();
        await metricsServer?.close();
        await database.close();
        await tracing?.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Where a server listens, as a URL. */
export function urlOf({ bind, webCrt }: Configuration, { port }: AddressInfo): string {
  const host = bind.host.includes(':') ? `[${bind.host}]` : bind.host;
  return `${webCrt === undefined ? 'http' : 'https'}://${host}:${port}`;
}

async function createServer(
  configuration: Configuration,
  { database, log, recentLines, settings, tracing, setup }: ServerParts,
  metricsText: MetricsText,
): Promise<FastifyInstance> {
  const hasGraphql = configuration.allowExperimental.includes('graphql');
  const graphql = hasGraphql ? (await import('./graphql.js')).createGraphqlParts(configuration, log) : {};
  return createHttpServer({
    database,
    log,
    metrics: database.metrics,
    metricsText,
    recentLog: recentLines && (() => recentLines.text()),
    settings,
    tracer: tracing?.tracer,
    ...graphql,
    welcome: readWebPage('welcome'),
    authPage: readWebPage('auth'),
    studio: readWebPage('studio'),
    docs: readManual(),
    setup,
    tls: readTls(configuration.webCrt, configuration.webKey),
    options: {
      limits: configuration.limits,
      product: configuration.noIdentificationHeaders ? undefined : `tessera/${VERSION}`,
      ...originRule(configuration),
      clientAddress: clientAddressSource(configuration),
      sockets: availableSockets(),
      compress: configuration.compress,
      capabilities: {
        routes: { allow: configuration.allowHttp, deny: configuration.denyHttp },
        methods: { allow: configuration.allowRpc, deny: configuration.denyRpc },
        queries: { allow: configuration.allowArbitraryQuery, deny: configuration.denyArbitraryQuery },
      },
      defaults: configuration.noDefaults
        ? undefined
        : { namespace: configuration.defaultNamespace, database: configuration.defaultDatabase },
      signInTimeout: configuration.signInTimeout,
      idleTimeout: configuration.idleTimeout,
      storedSessionIdle: configuration.storedSessionIdle,
      pingInterval: configuration.pingInterval,
      requestTimeout: configuration.requestTimeout,
      importTimeout: configuration.importTimeout,
      exportTimeout: configuration.exportTimeout,
    },
  });
}

function originRule({ allowOrigin, unauthenticated }: Configuration): OriginRule {
  return allowOrigin === 'all'
    ? { allowedOrigins: undefined, localOnly: false }
    : { allowedOrigins: allowOrigin, localOnly: unauthenticated };
}

function clientAddressSource({ clientIp, trustedProxy }: Configuration): ClientAddressSource {
  if (clientIp === 'socket' || clientIp === 'none') return { from: clientIp };
  if (trustedProxy === undefined) return { from: 'socket' };
  return { from: 'header', header: clientIp, trusted: trustedProxy };
}

// The system's limit of open files, of which clients get a part: sockets are files, too.

/** A share of the limit is kept free for the store, scripts, archive and audit log, within these bounds. */
const RESERVED_SHARE = 1 / 4;
const [LEAST_RESERVED, MOST_RESERVED] = [64, 1_024];

/** How many sockets clients may open, given the limit of open files. */
export function socketsWithin(files: number): number {
  const reserved = Math.min(Math.max(Math.floor(files * RESERVED_SHARE), LEAST_RESERVED), MOST_RESERVED);
  return Math.max(files - reserved, Math.floor(files / 2));
}

/** How many sockets clients of this process may open. */
function availableSockets(): number {
  return socketsWithin(openFilesLimit() ?? Number.POSITIVE_INFINITY);
}

interface Report {
  /** A system without such a limit has none of this. */
  readonly userLimits?: { readonly open_files?: { readonly soft?: number | 'unlimited' } };
}

/** `ulimit -n`, as far as Node could raise it. */
function openFilesLimit(): number | undefined {
  const { userLimits } = process.report.getReport() as Report;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
}

/** Certificate and private key in PEM. */
interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Reads certificate and key.
 * @throws ConfigurationError if a file cannot be read or they don't match
 */
function readTls(certificate: string | undefined, privateKey: string | undefined): TlsFiles | undefined {
  if (certificate === undefined || privateKey === undefined) return undefined;
  const files = { cert: read('--web-crt', certificate), key: read('--web-key', privateKey) };
  try {
    createSecureContext(files);
  } catch (error) {
    throw new ConfigurationError(`--web-crt and --web-key: ${(error as Error).message}`);
  }
  return files;
}

function read(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigurationError(`${flag}: ${(error as Error).message}`);
  }
}
