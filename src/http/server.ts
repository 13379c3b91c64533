/** Creates the HTTP server: routes, hooks and WebSockets. It doesn't listen yet. */
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyRequest, type onRequestHookHandler } from 'fastify';
import { InvariantError } from '../base/invariant.js';
import { isPromise } from '../base/promise-or-value.js';
import type { Environment } from '../env/environment.js';
import { realEnvironment } from '../env/real.js';
import { failure, TesseraError } from '../errors/error.js';
import type { GraphqlHandler } from '../graphql/transports/handler.js';
import type { ServerMetrics } from '../metrics/server-metrics.js';
import { permits } from '../rpc/capabilities.js';
import type { GraphqlMethod } from '../rpc/method.js';
import { StoredSessions } from '../rpc/stored-sessions.js';
import { PROTOCOL_VERSION } from '../rpc/version.js';
import type { Database } from '../session/contract.js';
import type { Tracer } from '../tracing/tracer.js';
import { ActiveUploads } from './base/active-uploads.js';
import { ConnectionCount } from './base/connection-count.js';
import type { Context, RouteContext } from './base/context.js';
import { addCorsHeaders, checkOrigin, corsHeaders, sendPreflight } from './base/cors.js';
import { type Log, logAnswers, SILENT } from './base/log.js';
import { DEFAULT_HTTP_LIMITS, DEFAULT_HTTP_OPTIONS, type HttpLimits, type HttpOptions } from './base/options.js';
import { requestIds } from './base/request-id.js';
import { RequestTurns } from './base/request-turns.js';
import { ConnectionLimit } from './connections/connection-limit.js';
import { OpenConnections } from './connections/open-connections.js';
import { limitPipelining } from './connections/pipelined-requests.js';
import { countBody, endSlowBody, watchUnfinishedBodies } from './connections/request-bodies.js';
import { tusAbilities } from './files/tus-headers.js';
import { type Admission, admit, type BodyBound, type BodyPolicy, boundOf } from './request/admission.js';
import { checkRememberedPassword } from './request/cross-site.js';
import { ignoreUpgrade, isWebSocketUpgrade } from './request/ignored-upgrade.js';
import { incomingRequests } from './request/incoming-request.js';
import { BodyDrains, expectContinue, readBody, streamBody } from './request/request-body.js';
import { compressed } from './response/compression.js';
import { rawAnswer, rawError } from './response/raw-error.js';
import { logInternal, sendError } from './response/reply.js';
import { countAnswers, traceAnswers } from './routes/request-metrics.js';
import { allowedMethods, nameOfRoute, ROUTES, type Route } from './routes/routes.js';
import { WebSocketServer } from './websocket/web-socket-server.js';

/** A request that Node's parser rejected has no headers. */
const NO_REQUEST = { headers: {} };

/** Maximum length of a table name or key in a URL. */
const LONGEST_NAME = 4096;

export interface HttpServerParts {
  readonly database: Database;
  readonly environment?: Environment;
  readonly options?: Partial<Omit<HttpOptions, 'limits'>> & { readonly limits?: Partial<HttpLimits> };
  /** GraphQL is switched off without it. */
  readonly graphql?: GraphqlHandler | undefined;
  readonly graphqlSchema?: Context['graphqlSchema'];
  /** The page of GraphQL. */
  readonly graphqlPage?: Context['graphqlPage'];
  readonly welcome?: Context['welcome'];
  readonly authPage?: Context['authPage'];
  readonly studio?: Context['studio'];
  readonly docs?: Context['docs'];
  readonly setup?: Context['setup'];
  readonly graphqlMethod?: GraphqlMethod | undefined;
  readonly graphqlSocket?: Context['graphqlSocket'];
  readonly graphqlEvents?: Context['graphqlEvents'];
  /** A certificate and its private key, in PEM. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  readonly log?: Log;
  /** Counts requests; default: nothing is counted. */
  readonly metrics?: ServerMetrics | undefined;
  /** Traces requests; default: none is traced. */
  readonly tracer?: Tracer | undefined;
  /** What `GET /metrics` answers. */
  readonly metricsText?: Context['metricsText'];
  readonly recentLog?: Context['recentLog'];
  readonly settings?: Context['settings'];
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How the body is read; absent: no body. */
    body?: BodyRules;
    streamed?: true;
    /** Whether pages of any site may send people here. */
    isCrossSite?: true;
  }
}

/**
 * The HTTP server with all of its routes, not listening yet. `close` of the application ends its connections. Requests
 * that no route takes are answered with `route_missing`, `http_method_unsupported` or `origin_denied`.
 */
export function createHttpServer(parts: HttpServerParts): FastifyInstance {
  const context = contextOf(parts);
  const { environment, options } = context;
  const drains = new BodyDrains(environment.timers);
  // Of two headers Node would ignore the second one, such as `Host` or `Authorization`.
  const parsing = { IncomingMessage: incomingRequests(environment.timers), joinDuplicateHeaders: true };
  const app = fastify({
    logger: false,
    ...(parts.tls === undefined ? { http: parsing } : { https: { ...parts.tls, ...parsing } }),
    genReqId: context.requestId,
    // Node's timeout would end imports, too.
    requestTimeout: 0,
    // Idle connections are closed at once when the server closes.
    forceCloseConnections: 'idle',
    // Bodies have no schemas, and the schema compilers are slow to load.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // Query strings are parsed by the routes that use them.
    routerOptions: { querystringParser: () => ({}), ignoreTrailingSlash: true, maxParamLength: LONGEST_NAME },
    clientErrorHandler: (error, socket) =>
      rawError(socket as Socket, clientError(error), {
        id: context.requestId(NO_REQUEST),
        cors: corsHeaders({}, options),
      }),
    frameworkErrors: (_error, request, reply) => {
      reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
      addCorsHeaders(reply, request.headers, options);
      sendError(context, reply, failure('invalid_request', { reason: 'the address is malformed' }));
    },
  });

  app.server.headersTimeout = options.requestTimeout;
  const watchBody = watchUnfinishedBodies((reply) => {
    countBody(context, reply);
    endSlowBody(context, reply);
  });

  // Bodies stay bytes until a route decodes them, whatever their Content-Type.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, _payload, done) =>
    takeBody(request, done, ({ limit, tooLarge }) => readBody(request, limit, tooLarge, done)),
  );
  app.decorateRequest('admission', undefined);
  app.decorateRequest('incoming', undefined);
  app.decorateRequest('caller', undefined);
  app.decorateReply('memory', undefined);

  const count = countAnswers(app, context);
  app.addHook('onRequest', (request, reply, done) => {
    watchBody(reply);
    count?.(request, reply);
    reply.header('x-request-id', request.id);
    // Responses contain user data, which browsers must not sniff as HTML.
    reply.header('x-content-type-options', 'nosniff');
    if (options.product !== undefined) {
      reply.header('server', options.product);
      reply.header('surreal-version', PROTOCOL_VERSION);
    }
    addCorsHeaders(reply, request.headers, options);
    const { host, origin } = request.headers;
    checkOrigin(request.routeOptions.config.isCrossSite ? { host } : { host, origin }, options);
    checkRememberedPassword(request.raw, options);
    // Node would read a body that no one asks for to its end, however long it is.
    if (request.routeOptions.config.body === undefined) drains.discard(request.raw, reply);
    if (request.method === 'OPTIONS') {
      if (request.url.startsWith('/files/')) reply.headers(tusAbilities(options.limits.fileBody));
      sendPreflight(reply);
    } else done();
  });

  logAnswers(app, context.log);
  traceAnswers(app, context);

  const addRoute = (to: FastifyInstance, route: Route) => {
    const {
      method,
      path,
      querying,
      enterBy,
      limit,
      from = 'checked',
      streamed,
      crossSite,
      answers = 'private',
      handle,
    } = route;
    const compresses = answers === 'public' || (answers === 'private' && options.compress);
    const routed = { ...context, route: nameOfRoute(path), querying, enterBy };
    to.route({
      ...(!permits(options.capabilities.routes, routed.route) && { onRequest: denyRoute(routed.route) }),
      method,
      url: path,
      config: {
        ...(limit !== undefined && { body: { context: routed, limit, from } }),
        ...(streamed !== undefined && { streamed }),
        ...(crossSite !== undefined && { isCrossSite: crossSite }),
      },
      ...(compresses && { onSend: compressed }),
      handler: (request, reply) => handle(routed, request, reply),
    });
  };
  for (const route of ROUTES) if (route.streamed !== true) addRoute(app, route);
  app.register(async (streams) => {
    streams.removeAllContentTypeParsers();
    streams.addContentTypeParser('*', (request, _payload, done) =>
      takeBody(request, done, ({ limit, tooLarge }) => done(null, streamBody(request.raw, limit, tooLarge))),
    );
    for (const route of ROUTES) if (route.streamed === true) addRoute(streams, route);
  });

  app.setNotFoundHandler((request, reply) => {
    drains.discard(request.raw, reply);
    const allowed = allowedMethods(request.url.split('?', 1)[0] ?? '');
    if (allowed.length === 0) return sendError(context, reply, failure('route_missing'));
    reply.header('allow', [...allowed, 'OPTIONS'].join(', '));
    return sendError(context, reply, failure('http_method_unsupported', { allowed }));
  });
  app.setErrorHandler((error, request, reply) => {
    request.admission?.session.close();
    drains.discard(request.raw, reply);
    return sendError(context, reply, requestError(error));
  });
  // `Expect: 100-continue` is answered after authentication.
  app.server.on('checkContinue', (request, response) => {
    expectContinue(request, response);
    app.server.emit('request', request, response);
  });

  limitPipelining(app.server, context.turns, (request, response, error) =>
    rawAnswer(response, error, { id: context.requestId(request), cors: corsHeaders(request.headers, options) }),
  );
  new ConnectionLimit(app.server, context);
  const open = new OpenConnections(app.server);
  const sockets = new WebSocketServer(context);
  app.server.on('upgrade', (request, socket, head) => {
    if (isWebSocketUpgrade(request)) sockets.upgrade(request, socket, head);
    else ignoreUpgrade(app.server, request, socket as Socket, head);
  });
  app.addHook('preClose', async () => {
    // Frees the port at once, while requests in progress continue.
    app.server.close();
    open.close();
    for (const stop of context.streams) stop();
    context.storedSessions.close();
    await sockets.close();
  });
  return app;
}

/** Refuses the requests of a route that the server doesn't offer. */
function denyRoute(name: string): onRequestHookHandler {
  return () => {
    throw failure('route_denied', { name });
  };
}

function noSchemas(): never {
  throw new InvariantError('no route has a schema');
}

function contextOf(parts: HttpServerParts): Context {
  const { database, environment = realEnvironment, options, graphql, graphqlMethod, log = SILENT } = parts;
  const merged: HttpOptions = {
    ...DEFAULT_HTTP_OPTIONS,
    ...options,
    limits: { ...DEFAULT_HTTP_LIMITS, ...options?.limits },
  };
  return {
    database,
    options: merged,
    rpc: {
      defaults: merged.defaults,
      graphql: graphqlMethod,
      capabilities: merged.capabilities,
      attachedSessions: merged.limits.attachedSessions,
      liveQueries: merged.limits.liveQueries,
      onInternalError: (error, trace) => logInternal(log, error, trace),
    },
    graphql,
    graphqlSchema: parts.graphqlSchema,
    graphqlSocket: parts.graphqlSocket,
    graphqlEvents: parts.graphqlEvents,
    graphqlPage: parts.graphqlPage,
    welcome: parts.welcome,
    authPage: parts.authPage,
    studio: parts.studio,
    docs: parts.docs,
    setup: parts.setup,
    environment,
    storedSessions: new StoredSessions(
      environment,
      {
        perUser: merged.limits.attachedSessions,
        total: merged.limits.storedSessions,
        memory: merged.limits.storedSessionMemory,
        idle: merged.storedSessionIdle,
      },
      database.memory.budget,
    ),
    turns: new RequestTurns(environment.timers),
    connections: new ConnectionCount(merged.limits),
    streams: new Set(),
    uploads: new ActiveUploads(),
    metrics: parts.metrics,
    tracer: parts.tracer,
    metricsText: parts.metricsText,
    recentLog: parts.recentLog,
    settings: parts.settings,
    log,
    requestId: requestIds(),
  };
}

interface BodyRules {
  readonly context: RouteContext;
  readonly limit: keyof HttpLimits;
  readonly from: BodyPolicy;
}

/** Authenticates the sender of a body, determines its limit, and reads it. Without a route the body isn't read. */
function takeBody(
  request: FastifyRequest,
  done: (error: Error | null) => void,
  take: (bound: BodyBound) => void,
): void {
  const { body } = request.routeOptions.config;
  if (body === undefined) {
    done(null);
    return;
  }
  const { context, limit, from } = body;
  const go = (admission: Admission | undefined) => {
    request.admission = admission;
    take(boundOf(context.options.limits, limit, admission));
  };
  const admitted = admit(context, request, from);
  if (isPromise(admitted)) admitted.then(go).catch(done);
  else go(admitted);
}

/** Converts Fastify's errors. */
function requestError(error: unknown): unknown {
  if (error instanceof TesseraError) return error;
  const { statusCode } = error as { readonly statusCode?: number };
  if (statusCode === 415) return failure('unsupported_media_type', { accepted: ['a valid media type'] });
  if (statusCode !== undefined && statusCode < 500) {
    return failure('invalid_request', { reason: (error as Error).message });
  }
  return error;
}

/** Converts errors of Node's parser, which occur before there is a request. */
function clientError(error: NodeJS.ErrnoException): TesseraError {
  if (error.code === 'HPE_HEADER_OVERFLOW') return failure('headers_too_large');
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return failure('request_timeout');
  return failure('invalid_request', { reason: 'it is not valid HTTP' });
}
