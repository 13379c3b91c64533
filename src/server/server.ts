/** Puts the parts together: storage, database, HTTP server. */
import type { AddressInfo } from 'node:net';
import type { TesseraError } from '../errors/error.js';
import type { ClientAddressSource } from '../http/client-address.js';
import { createHttpServer, type HttpServerParts } from '../http/create-http-server.js';
import type { Log } from '../http/log.js';
import type { Database } from '../session/contract.js';
import type { Configuration } from './configuration.js';
import { readGraphiql } from './graphiql.js';
import { VERSION } from './package-version.js';
import { readTls } from './tls.js';

export interface RunningServer {
  /** Where it is reached: `http://127.0.0.1:8000`. */
  readonly url: string;
  /** Answers what is under way, takes nothing new, and closes the database. */
  close(): Promise<void>;
}

export interface ServerParts {
  readonly database: Database;
  readonly log: Log;
}

/** Begins to listen. The database is closed with the server, and when the start fails. */
export async function startServer(
  configuration: Configuration,
  { database, log }: ServerParts,
): Promise<RunningServer> {
  try {
    const app = createHttpServer({
      database,
      log,
      ...(await graphqlParts(configuration, log)),
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
        pingInterval: configuration.pingInterval,
        requestTimeout: configuration.requestTimeout,
      },
    });
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

/** GraphQL, where it is switched on; the others don't have to load it. */
async function graphqlParts(
  {
    allowExperimental,
    graphqlLimits,
    graphqlRoles,
    graphqlDocuments,
    graphqlTrustedOnly,
    graphqlHideDenied,
    graphqlJson,
    fieldPermissions,
    limits,
  }: Configuration,
  log: Log,
): Promise<
  Pick<HttpServerParts, 'graphiql' | 'graphql' | 'graphqlMethod' | 'graphqlSchema' | 'graphqlSocket' | 'graphqlEvents'>
> {
  if (!allowExperimental.includes('graphql')) return {};
  const [
    { GraphqlService },
    { createGraphqlHandler },
    { createGraphqlMethod },
    { createGraphqlSocket },
    { createGraphqlEvents },
    { readDocuments },
  ] = await Promise.all([
    import('../graphql/service.js'),
    import('../graphql/handler.js'),
    import('../graphql/method.js'),
    import('../graphql/live/transport-ws.js'),
    import('../graphql/live/event-stream.js'),
    import('./graphql-documents.js'),
  ]);
  const report = (error: TesseraError) =>
    log.error({ error: error.cause ?? error }, 'A GraphQL request failed for a reason of our own');
  const service = new GraphqlService({
    limits: graphqlLimits,
    roles: graphqlRoles,
    trusted: {
      documents: graphqlDocuments === undefined ? undefined : readDocuments(graphqlDocuments),
      only: graphqlTrustedOnly,
    },
    fieldPermissions,
    hideDenied: graphqlHideDenied,
    warn: (warning) => log.warn({}, warning),
    subscriptions: limits.liveQueries,
    report,
  });
  return {
    graphql: createGraphqlHandler(service, graphqlJson),
    graphqlMethod: createGraphqlMethod(service),
    graphqlSchema: (session) => service.sdl(session),
    graphqlSocket: createGraphqlSocket(service, report),
    graphqlEvents: createGraphqlEvents(service, report),
    graphiql: readGraphiql(),
  };
}

function clientAddressSource({ clientIp, trustedProxy }: Configuration): ClientAddressSource {
  if (clientIp === 'socket' || clientIp === 'none') return { from: clientIp };
  if (trustedProxy === undefined) return { from: 'socket' };
  return { from: 'header', header: clientIp, trusted: trustedProxy };
}
