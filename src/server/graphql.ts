/** All GraphQL modules, loaded only if GraphQL is enabled. */
import { readFileSync } from 'node:fs';
import type { TesseraError } from '../errors/error.js';
import { readTrustedManifest, type TrustedManifest } from '../graphql/document/manifest.js';
import { GraphqlService } from '../graphql/service.js';
import { createGraphqlEvents } from '../graphql/transports/event-stream.js';
import { createGraphqlHandler } from '../graphql/transports/handler.js';
import { createGraphqlMethod } from '../graphql/transports/method.js';
import { createGraphqlSocket } from '../graphql/transports/transport-ws.js';
import type { Log } from '../http/base/log.js';
import type { HttpServerParts } from '../http/server.js';
import type { Configuration } from './configuration.js';
import { readWebPage } from './pages.js';
import { ConfigurationError } from './setting.js';

type GraphqlParts = Pick<
  HttpServerParts,
  'graphqlPage' | 'graphql' | 'graphqlMethod' | 'graphqlSchema' | 'graphqlSocket' | 'graphqlEvents'
>;

/**
 * Creates the GraphQL service of a server from its configuration: limits, roles and trusted documents, and its handlers
 * for HTTP, RPC, WebSockets and server-sent events. `log` receives schema warnings and internal errors.
 * @throws ConfigurationError if the documents cannot be read
 */
export function createGraphqlParts(configuration: Configuration, log: Log): GraphqlParts {
  const { graphqlDocuments, limits } = configuration;
  const report = (error: TesseraError) =>
    log.error({ error: error.cause ?? error }, 'A GraphQL request failed for a reason of our own');
  const service = new GraphqlService({
    limits: configuration.graphqlLimits,
    roles: configuration.graphqlRoles,
    trusted: {
      documents: graphqlDocuments === undefined ? undefined : readDocuments(graphqlDocuments),
      only: configuration.graphqlTrustedOnly,
    },
    fieldPermissions: configuration.fieldPermissions,
    hideDenied: configuration.graphqlHideDenied,
    warn: (warning) => log.warn({}, warning),
    subscriptions: limits.liveQueries,
    maxAnswer: limits.answer,
    report,
  });
  return {
    graphql: createGraphqlHandler(service, configuration.graphqlJson),
    graphqlMethod: createGraphqlMethod(service),
    graphqlSchema: (session) => service.sdl(session),
    graphqlSocket: createGraphqlSocket(service, report),
    graphqlEvents: createGraphqlEvents(service, report),
    graphqlPage: readWebPage('graphql'),
  };
}

/**
 * Reads the documents of `--graphql-documents`.
 * @throws ConfigurationError naming the file and the problem
 */
export function readDocuments(path: string): TrustedManifest {
  try {
    return readTrustedManifest(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigurationError(`--graphql-documents ${path}: ${(error as Error).message}`);
  }
}
