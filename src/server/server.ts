/** Starts a server: storage, database, HTTP. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { VERSION } from '../base/package-version.js';
import type { ClientAddressSource } from '../http/client-address.js';
import { createHttpServer } from '../http/create-http-server.js';
import type { Log } from '../http/log.js';
import type { Database } from '../session/contract.js';
import type { Configuration } from './configuration.js';
import { readPage } from './pages.js';
import { readTls } from './tls.js';

export interface RunningServer {
  /** The URL: `http://127.0.0.1:8000`. */
  readonly url: string;
  /** Completes the requests in progress, accepts no further ones, and closes the database. */
  close(): Promise<void>;
}

export interface ServerParts {
  readonly database: Database;
  readonly log: Log;
  /** Requests are accepted only after it resolves. */
  readonly prepared: Promise<unknown>;
}

/** Starts to listen. The database is closed with the server, and if the start fails. */
export async function startServer(configuration: Configuration, parts: ServerParts): Promise<RunningServer> {
  const { database, prepared } = parts;
  try {
    const [app] = await Promise.all([createServer(configuration, parts), prepared]);
    const { host, port } = configuration.bind;
    await app.listen({ host, port });
    const address = app.server.address() as AddressInfo;
    const scheme = configuration.webCrt === undefined ? 'http' : 'https';
    return {
      url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
      close: async () => {
        await app.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function createServer(configuration: Configuration, { database, log }: ServerParts): Promise<FastifyInstance> {
  const hasGraphql = configuration.allowExperimental.includes('graphql');
  const graphql = hasGraphql ? (await import('./graphql.js')).createGraphqlParts(configuration, log) : {};
  return createHttpServer({
    database,
    log,
    ...graphql,
    welcome: readPage('welcome'),
    tls: readTls(configuration.webCrt, configuration.webKey),
    options: {
      limits: configuration.limits,
      product: configuration.noIdentificationHeaders ? undefined : `tessera/${VERSION}`,
      allowedOrigins: configuration.allowOrigin,
      clientAddress: clientAddressSource(configuration),
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

function clientAddressSource({ clientIp, trustedProxy }: Configuration): ClientAddressSource {
  if (clientIp === 'socket' || clientIp === 'none') return { from: clientIp };
  if (trustedProxy === undefined) return { from: 'socket' };
  return { from: 'header', header: clientIp, trusted: trustedProxy };
}
