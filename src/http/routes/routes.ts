/** The table of routes. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { andThen, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { networkOf } from '../../base/source-network.js';
import { failure, TesseraError } from '../../errors/error.js';
import { RpcConnection } from '../../rpc/connection.js';
import { rpcMethod } from '../../rpc/methods/table.js';
import { NOTHING_REPEATED, namesSession } from '../../rpc/request.js';
import { errorMessage, withoutId } from '../../rpc/response.js';
import { PROTOCOL_VERSION } from '../../rpc/version.js';
import type { IssuedTokens, Origin, Session } from '../../session/contract.js';
import { type BodyFormat, FLATBUFFERS, JSON_FORMAT, utf8Text } from '../../value/codecs/formats.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';
import type { Context, RouteContext } from '../base/context.js';
import { requestFormat, responseFormat } from '../base/negotiation.js';
import type { HttpLimits } from '../base/options.js';
import { readSelection } from '../base/request-headers.js';
import type { BodyPolicy } from '../request/admission.js';
import { credentialHolder, headerHash } from '../request/authorization.js';
import { readCredentials } from '../request/credentials-body.js';
import { decodeMessage } from '../request/decode-message.js';
import { readQueryString } from '../request/query-string.js';
import { bodyOf } from '../request/request-body.js';
import { inSession, originOf, prepareSession, selectDatabase } from '../request/request-session.js';
import type { Confidentiality } from '../response/compression.js';
import { encodeAnswer } from '../response/large-answer.js';
import { sendBody } from '../response/reply.js';
import { sendResults } from '../response/results.js';
import { answerBounds, sendAnswer } from '../response/send-answer.js';
import { apiRoute } from './api.js';
import {
  authFileRoute,
  callbackRoute,
  confirmPageRoute,
  confirmRoute,
  providerListRoute,
  startPageRoute,
  startRoute,
} from './auth.js';
import { docsRoute, llmsRoute } from './docs.js';
import {
  deleteFileRoute,
  enterByFileLink,
  getFileRoute,
  patchFileRoute,
  postFileRoute,
  putFileRoute,
} from './files.js';
import { graphqlFileRoute, graphqlGetRoute, graphqlPostRoute, graphqlSchemaRoute } from './graphql.js';
import { KEY_METHODS, keyRoute } from './key.js';
import { metricsRoute } from './metrics.js';
import { logRoute, settingsRoute } from './operator.js';
import { setupRoute } from './setup-endpoint.js';
import { findPageRoute, signInPageRoute, signInStepRoute } from './sign-in-page.js';
import { studioFileRoute, studioRoute } from './studio.js';
import { exportRoute, importRoute } from './transfer.js';
import { welcomeFileRoute, welcomeRoute } from './welcome.js';

type Handler = (context: RouteContext, request: FastifyRequest, reply: FastifyReply) => unknown;

export interface Route {
  readonly method: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';
  readonly path: string;
  /**
   * Whether a request is a query or an equivalent, which `--deny-arbitrary-query` refuses to its subjects. Calls by RPC
   * say so themselves (`Method.querying`).
   */
  readonly querying: boolean;
  /** The limit of its body; absent: no body. */
  readonly limit?: keyof HttpLimits;
  /** Who may send a body. Default: `checked`. */
  readonly from?: BodyPolicy;
  /** The confidentiality of its responses. Default: `private`. */
  readonly answers?: Confidentiality;
  /** How a request signs in besides by its headers. */
  readonly enterBy?: RouteContext['enterBy'];
  /** The body is streamed; the handler applies the limit. */
  readonly streamed?: true;
  /** Pages of any site may send people here, since nothing in it rests on who they are signed in as. */
  readonly crossSite?: true;
  readonly handle: Handler;
}

export const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/signin',
    querying: false,
    limit: 'credentialsBody',
    from: 'guests',
    answers: 'secret',
    handle: credentialsRoute((session, body) => session.signIn(body)),
  },
  {
    method: 'POST',
    path: '/signup',
    querying: false,
    limit: 'credentialsBody',
    from: 'guests',
    answers: 'secret',
    handle: credentialsRoute((session, body) => session.signUp(body)),
  },
  {
    method: 'POST',
    path: '/setup',
    querying: false,
    limit: 'credentialsBody',
    from: 'guests',
    answers: 'secret',
    handle: setupRoute,
  },
  ...providerRoutes('/auth/:ns/:db/:ac'),
  { method: 'GET', path: '/auth/:ns/:db/:ac/start', querying: false, answers: 'secret', handle: startPageRoute },
  ...providerRoutes('/auth-system/root/:ac'),
  ...providerRoutes('/auth-system/namespace/:ns/:ac'),
  { method: 'GET', path: '/auth-system', querying: false, answers: 'secret', handle: providerListRoute },
  { method: 'GET', path: '/auth/:ns/:db/:ac/confirm', querying: false, answers: 'secret', handle: confirmPageRoute },
  {
    method: 'POST',
    path: '/auth/:ns/:db/:ac/confirm',
    querying: false,
    limit: 'credentialsBody',
    from: 'guests',
    answers: 'secret',
    crossSite: true,
    handle: confirmRoute,
  },
  { method: 'GET', path: '/auth', querying: false, handle: findPageRoute },
  {
    method: 'GET',
    path: '/auth/:ns/:db',
    querying: false,
    answers: 'secret',
    crossSite: true,
    handle: signInPageRoute,
  },
  {
    method: 'POST',
    path: '/auth/:ns/:db',
    querying: false,
    limit: 'credentialsBody',
    from: 'guests',
    answers: 'secret',
    crossSite: true,
    handle: signInStepRoute,
  },
  { method: 'GET', path: '/auth/:file', querying: false, answers: 'public', handle: authFileRoute },
  { method: 'POST', path: '/sql', querying: true, limit: 'sqlBody', handle: sqlRoute },
  ...KEY_METHODS.flatMap((method) =>
    ['/key/:table', '/key/:table/:id'].map(
      (path): Route => ({
        method,
        path,
        querying: true,
        ...(method !== 'GET' && { limit: 'keyBody' }),
        handle: keyRoute,
      }),
    ),
  ),
  { method: 'GET', path: '/export', querying: true, answers: 'secret', handle: exportRoute },
  { method: 'POST', path: '/export', querying: true, limit: 'keyBody', answers: 'secret', handle: exportRoute },
  { method: 'POST', path: '/import', querying: true, limit: 'importBody', streamed: true, handle: importRoute },
  {
    method: 'POST',
    path: '/rpc',
    querying: false,
    limit: 'rpcBody',
    from: 'lenient',
    answers: 'secret',
    handle: rpcRoute,
  },
  { method: 'POST', path: '/graphql', querying: true, limit: 'graphqlBody', handle: graphqlPostRoute },
  { method: 'GET', path: '/graphql', querying: true, handle: graphqlGetRoute },
  { method: 'GET', path: '/graphql/schema.graphql', querying: true, handle: graphqlSchemaRoute },
  { method: 'GET', path: '/graphql/:file', querying: false, answers: 'public', handle: graphqlFileRoute },
  ...(['DELETE', 'PATCH', 'POST', 'PUT'] as const).map(
    (method): Route => ({ method, path: '/api/*', querying: false, limit: 'apiBody', handle: apiRoute }),
  ),
  { method: 'GET', path: '/api/*', querying: false, handle: apiRoute },
  { method: 'GET', path: '/files/*', querying: false, answers: 'secret', handle: getFileRoute },
  {
    method: 'PUT',
    path: '/files/*',
    querying: false,
    limit: 'fileBody',
    streamed: true,
    enterBy: enterByFileLink,
    handle: putFileRoute,
  },
  { method: 'POST', path: '/files/*', querying: false, limit: 'fileBody', streamed: true, handle: postFileRoute },
  { method: 'PATCH', path: '/files/*', querying: false, limit: 'fileBody', streamed: true, handle: patchFileRoute },
  { method: 'DELETE', path: '/files/*', querying: false, handle: deleteFileRoute },
  {
    method: 'GET',
    path: '/rpc',
    querying: false,
    handle: () => {
      throw failure('upgrade_required');
    },
  },
  { method: 'GET', path: '/status', querying: false, handle: (_context, _request, reply) => reply.send() },
  { method: 'GET', path: '/health', querying: false, handle: healthRoute },
  // The server listens only once it is ready, and answers everything with 503 while it stops.
  { method: 'GET', path: '/ready', querying: false, handle: readyRoute },
  {
    method: 'GET',
    path: '/version',
    querying: false,
    handle: (_context, _request, reply) => reply.type('text/plain').send(PROTOCOL_VERSION),
  },
  { method: 'GET', path: '/metrics', querying: false, answers: 'secret', handle: metricsRoute },
  { method: 'GET', path: '/log', querying: false, answers: 'secret', handle: logRoute },
  { method: 'GET', path: '/settings', querying: false, answers: 'secret', handle: settingsRoute },
  { method: 'GET', path: '/.well-known/jwks.json', querying: false, handle: publishedKeysRoute },
  { method: 'GET', path: '/', querying: false, handle: welcomeRoute },
  { method: 'GET', path: '/welcome/:file', querying: false, answers: 'public', handle: welcomeFileRoute },
  { method: 'GET', path: '/studio', querying: false, handle: studioRoute },
  { method: 'GET', path: '/studio/:file', querying: false, answers: 'public', handle: studioFileRoute },
  { method: 'GET', path: '/docs', querying: false, answers: 'public', handle: docsRoute },
  { method: 'GET', path: '/docs/*', querying: false, answers: 'public', handle: docsRoute },
  { method: 'GET', path: '/llms.txt', querying: false, answers: 'public', handle: llmsRoute },
];

/** Where a client begins at an access method, and where people come back to from a provider. */
function providerRoutes(access: string): readonly Route[] {
  const shared = { querying: false, answers: 'secret' } as const;
  const posted = { ...shared, method: 'POST', limit: 'credentialsBody', from: 'guests' } as const;
  const callback = { path: `${access}/callback`, crossSite: true, handle: callbackRoute } as const;
  return [
    { ...posted, path: `${access}/start`, handle: startRoute },
    { ...shared, method: 'GET', ...callback },
    { ...posted, ...callback },
  ];
}

/**
 * The name of a route in capability rules and metrics: `sql`, `api`. The route is used rather than the URL, which has
 * many spellings.
 */
export function nameOfRoute(path: string): string {
  const [, first = ''] = path.split('/', 2);
  return NAMES.get(first) ?? first;
}

/** Routes that belong to another one. */
const NAMES: ReadonlyMap<string, string> = new Map([['llms.txt', 'docs']]);

/** The methods of a path, for 405 and `Allow`. */
export function allowedMethods(path: string): readonly string[] {
  const methods = ROUTES.filter((route) => route.path === path).map(({ method }) => method);
  return methods.length === 0
    ? []
    : [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

function sqlRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  const format = responseFormat(request.headers.accept);
  const text = utf8Text(bodyOf(request));
  const variables = readQueryString(request.url);
  return inSession(context, request, reply, (session) =>
    andThen(session.query(text, variables), (results) => sendResults(context, reply, format, results)),
  );
}

/**
 * One RPC request. The result of the method, errors included, has status 200, as clients expect; only unreadable
 * requests and invalid credentials are HTTP errors.
 */
async function rpcRoute(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const received = requestFormat(request.headers['content-type']);
  const sent = responseFormat(request.headers.accept, received);
  const selection = readSelection(request.raw);
  const { admission } = request;
  const origin = originOf(request.raw, selection, context);
  const connection = new RpcConnection(context.database, origin, context.rpc, admission?.session);
  request.caller = connection.session;
  const close = () => connection.close();
  reply.raw.once('close', close);
  try {
    const sender = { isGuest: !connection.isSignedIn(), isAbandoned: () => reply.raw.destroyed };
    const message = await otherwise(
      () => decodeMessage(bodyOf(request), received, context, sender),
      (thrown) => {
        // Of a client whose credentials are invalid, these are why it may send no more.
        throw (isTooLarge(thrown) ? admission?.refusal : undefined) ?? thrown;
      },
    );
    // Clients send their expired token even with the request for a new one.
    if (rpcMethod(message)?.signsIn === true) await selectDatabase(connection.session, selection);
    else if (admission === undefined)
      await prepareSession(connection.session, request.headers.authorization, selection);
    else await admission.confirmed();
    if (namesSession(message)) keepSessions(context, request.headers, origin, connection);
    const answer = withoutId(await connection.handle(message, received));
    return sendAnswer(
      context,
      reply,
      sent.contentType,
      await encodeRpcAnswer(context, reply, connection, sent, answer),
    );
  } finally {
    reply.raw.removeListener('close', close);
    connection.close();
  }
}

/** Sessions that are attached over HTTP belong to the credential of the request. */
function keepSessions(
  { storedSessions }: Context,
  { authorization }: IncomingHttpHeaders,
  { ip = '' }: Origin,
  connection: RpcConnection,
): void {
  const { session } = connection;
  const source = networkOf(ip);
  const header = authorization && headerHash(authorization);
  connection.keepSessionsIn(storedSessions.of(credentialHolder(session, authorization), source), {
    signedIn(id, token) {
      const holder = credentialHolder(session, `Bearer ${token}`);
      if (holder !== undefined) storedSessions.share(id, header, holder);
    },
    signedOut(id) {
      if (header !== undefined) storedSessions.signOut(id, header, source);
    },
  });
}

function isTooLarge(thrown: unknown): boolean {
  return thrown instanceof TesseraError && thrown.code === 'too_many_values';
}

/** A result that cannot be encoded is an RPC error. */
function encodeRpcAnswer(
  context: Context,
  reply: FastifyReply,
  connection: RpcConnection,
  format: BodyFormat,
  answer: ObjectValue,
): PromiseOrValue<string | Uint8Array> {
  return otherwise(
    () => encodeAnswer(answer, format, context.environment, answerBounds(context, reply)),
    (thrown) => format.encode(withoutId(errorMessage(NOTHING_REPEATED, connection.report(thrown)))),
  );
}

type SignIn = (session: Session, body: ObjectValue) => Promise<IssuedTokens>;

function credentialsRoute(signIn: SignIn): Handler {
  return async (context, request, reply) => {
    const format = credentialsFormat(request.headers.accept);
    const body = readCredentials(request);
    const selection = readSelection(request.raw);
    const session = context.database.session(originOf(request.raw, selection, context));
    try {
      const { access, refresh } = await signIn(session, body);
      const token = refresh === undefined ? access : objectFrom({ access, refresh });
      const answer = objectFrom({ code: 200, details: 'Authentication succeeded', token });
      return sendBody(reply.header('cache-control', 'no-store'), format.contentType, format.encode(answer));
    } finally {
      session.close();
    }
  };
}

/** Clients that accept CBOR get JSON, as they always have. */
function credentialsFormat(accept: string | undefined): BodyFormat {
  const format = responseFormat(accept);
  return format === FLATBUFFERS ? format : JSON_FORMAT;
}

async function healthRoute(context: Context, _request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  await context.database.check();
  return reply.send();
}

async function readyRoute(context: Context, _request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  await context.database.checkReady();
  return reply.send();
}

/** Seconds for which the key set may be cached. */
const KEYS_MAX_AGE = 300;

/**
 * The key set (JWKS) of an access method, named in the query string as in sign-in bodies. Unknown access methods aren't
 * distinguished from those without keys.
 */
function publishedKeysRoute({ database }: Context, request: FastifyRequest, reply: FastifyReply): unknown {
  const { ns, db, ac } = (readQueryString(request.url) ?? {}) as Readonly<Record<string, string | undefined>>;
  if (ac === undefined || (ns === undefined && db !== undefined)) {
    throw failure('query_parameter_invalid', {
      reason: 'has to name an access method: ns, db (both as far as they apply) and ac',
    });
  }
  const databasePath = { ...(ns !== undefined && { namespace: ns }), ...(db !== undefined && { database: db }) };
  return andThen(database.publishedKeys(databasePath, ac), (keys) =>
    sendBody(
      reply.header('cache-control', `public, max-age=${KEYS_MAX_AGE}`),
      'application/jwk-set+json',
      JSON.stringify({ keys }),
    ),
  );
}
