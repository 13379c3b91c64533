/**
 * `/auth/:ns/:db/:ac/…`, and `/auth-system/…` for access methods of the root and of namespaces: begins requests to sign
 * in, and the page to which mailed links lead.
 *
 * Nothing here is made of what a request says of this server (`Host`, `X-Forwarded-…`, `Origin`).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { accessPath, type Onward, onward } from '../../auth/ways/addresses.js';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabasePath } from '../../catalog/principal.js';
import { failure, TesseraError } from '../../errors/error.js';
import { utf8Text } from '../../value/codecs/formats.js';
import { formatDatetime, toDatetime } from '../../value/time/datetime.js';
import { newObject, objectFrom } from '../../value/value.js';
import type { Context, RouteContext } from '../base/context.js';
import { mediaType } from '../base/negotiation.js';
import { readCredentials } from '../request/credentials-body.js';
import { readQueryString } from '../request/query-string.js';
import { bodyOf } from '../request/request-body.js';
import { inSession } from '../request/request-session.js';
import { sendBody } from '../response/reply.js';
import { sendPageFile } from '../response/send-page.js';
import { confirmContent } from '../sign-in-page/contents.js';
import { leadOn, sendAuthPage } from '../sign-in-page/send-page.js';
import { databasePathIn, FROM_ACCESS, goOnAtPage } from './sign-in-page.js';

/** Where a route's access method is. */
interface Place {
  readonly databasePath: DatabasePath;
  readonly access: string;
}

function placeOf(request: FastifyRequest): Place {
  const { ns, db, ac } = request.params as { readonly ns?: string; readonly db?: string; readonly ac: string };
  return { databasePath: pathOf(ns, db), access: ac };
}

function pathOf(namespace: string | undefined, database: string | undefined): DatabasePath {
  return { ...(namespace !== undefined && { namespace }), ...(database !== undefined && { database }) };
}

/**
 * The access methods by which system users sign in at a provider, each as bodies of `signin` name it, and where that
 * begins: `{ "access": [{ "AC": "staff", "start": "/auth-system/root/staff/start" }] }`. `?ns=&db=` adds those of a
 * namespace and of a database.
 */
export async function providerListRoute(
  { database }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { ns, db } = (readQueryString(request.url) ?? {}) as Readonly<Record<string, string | undefined>>;
  const found = await database.providerAccesses(pathOf(ns, db));
  const access = found.map((place) => {
    const { databasePath, access: AC } = place;
    return { NS: databasePath.namespace, DB: databasePath.database, AC, start: `${accessPath(place)}/start` };
  });
  return sendSecret(reply, JSON.stringify({ access }));
}

/**
 * Begins a request: `{ challenge, email, … }` (`readStart`), with a bearer for `link` and `step`.
 * Answers `{ "request": "…", "expires": "2026-11-28T12:10:00Z" }`, and what the way shows besides.
 */
export function startRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  const body = readCredentials(request);
  return inSession(context, request, reply, async (session) => {
    const started = await session.startSignIn({ ...placeOf(request), body });
    const expires = formatDatetime(toDatetime(started.expires));
    const { request: name, url, options, shown } = started;
    return sendSecret(reply, JSON.stringify({ request: name, expires, url, options, ...shown }));
  });
}

/**
 * Begins at a provider by a plain link: `?challenge=…&redirect=…`, with `&page=true` of the page to sign in.
 * @throws TesseraError `record_user_required`, `access_method_mismatch`, and what `startSignIn` throws
 */
export function startPageRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  const body = readQueryString(request.url) ?? newObject();
  // These rest on a bearer, which no link has.
  for (const name of ['link', 'step']) if (Object.hasOwn(body, name)) throw failure('record_user_required');
  const place = placeOf(request);
  const isOfPage = body['page'] === 'true';
  return inSession(context, request, reply, async (session) => {
    try {
      const asked = isOfPage ? objectFrom({ ...body, page: true }) : body;
      const { url } = await session.startSignIn({ ...place, body: asked });
      if (url === undefined) throw failure('access_method_mismatch');
      return await leadOn(reply, url);
    } catch (error) {
      if (!(error instanceof TesseraError) || error.code !== 'provider_unavailable') throw error;
      const { redirects } = await context.database.app(place.databasePath);
      // It was judged before the provider was asked.
      const redirect = body['redirect'] ?? redirects[0];
      if (typeof redirect !== 'string') throw error;
      const challenge = String(body['challenge']);
      const begun = onward({ page: isOfPage, challenge }, redirect, { error: error.code });
      return goOn(context, request, reply, begun);
    }
  });
}

/**
 * From a provider, with what it has to say in the query, or in a form that its page posts (OAuth 2.0 Form Post Response
 * Mode).
 * @throws TesseraError `malformed_request`, and what `returnFromProvider` throws
 */
export async function callbackRoute(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { databasePath, access } = placeOf(request);
  const [, query = ''] = request.url.split('?', 2);
  const isPosted = request.method === 'POST';
  const isForm = mediaType(request.headers['content-type'] ?? '') === FORM;
  if (isPosted && (query !== '' || !isForm)) throw failure('malformed_request', { reason: 'it must be a form' });
  const parameters = new URLSearchParams(isPosted ? utf8Text(bodyOf(request)) : query);
  try {
    return await goOn(
      context,
      request,
      reply,
      await context.database.returnFromProvider(databasePath, access, parameters),
    );
  } catch (error) {
    if (!(error instanceof TesseraError) || error.code !== 'invalid_auth') throw error;
    return sendConfirmPage(context, reply.code(error.httpStatus), databasePath, true);
  }
}

const FORM = 'application/x-www-form-urlencoded';

function sendSecret(reply: FastifyReply, body: string): FastifyReply {
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  return sendBody(reply, 'application/json', body);
}

/**
 * The confirm page. It is the same for every link: the link stands behind `#`, so that it is in no log, and reading the
 * page changes nothing.
 */
export function confirmPageRoute(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  return sendConfirmPage(context, reply, databasePathIn(request), false);
}

/**
 * The button of the page: leads on to the app. @throws TesseraError `malformed_request`, `invalid_auth`
 */
export async function confirmRoute(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { databasePath, access } = placeOf(request);
  const isForm = mediaType(request.headers['content-type'] ?? '') === FORM;
  const link = isForm
    ? new URLSearchParams(utf8Text(bodyOf(request))).get('link')
    : (readCredentials(request)['link'] ?? null);
  if (typeof link !== 'string') throw failure('malformed_request', { reason: "'link' must be a text" });
  try {
    return await goOn(context, request, reply, await context.database.confirmLink(databasePath, access, link));
  } catch (error) {
    if (!isForm || !(error instanceof TesseraError) || error.code !== 'invalid_auth') throw error;
    return sendConfirmPage(context, reply.code(error.httpStatus), databasePath, true);
  }
}

/** The address of `/auth`, as seen from below an access method. */
function rootFrom({ namespace, database }: DatabasePath): string {
  if (namespace === undefined) return `${FROM_ACCESS}/auth`;
  return database === undefined ? `${FROM_ACCESS}/../auth` : FROM_ACCESS;
}

async function sendConfirmPage(
  context: Context,
  reply: FastifyReply,
  databasePath: DatabasePath,
  isUsed: boolean,
): Promise<FastifyReply> {
  const app = await context.database.app(databasePath);
  return sendAuthPage(context, reply, app, {
    root: rootFrom(databasePath),
    title: app.name,
    content: confirmContent(app.name, isUsed),
  });
}

function goOn(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  to: Onward,
): PromiseOrValue<unknown> {
  return to.to === 'app' ? leadOn(reply, to.location) : goOnAtPage(context, request, reply, to);
}

export function authFileRoute(
  { authPage }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return sendPageFile(request, reply, authPage);
}
