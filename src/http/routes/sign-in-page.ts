/**
 * `/auth/:ns/:db`: the page to sign in, to which apps lead: `?challenge=…&redirect=…`. It shows all ways in of the
 * database, asks for a second factor where one is due, and leads back with a code (`auth/page/hand-over.ts`).
 *
 * It keeps nothing in the browser: each form carries what the next one needs. So a form of another page can only sign
 * in for the app that it names, which has no use for a code without its verifier.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { targetFault } from '../../auth/page/hand-over.js';
import { TRY_OUT } from '../../auth/ways/addresses.js';
import { type Html, html } from '../../base/html.js';
import { failure, TesseraError } from '../../errors/error.js';
import { secondFactorIn } from '../../errors/second-factor.js';
import type { App, Onward, Session } from '../../session/contract.js';
import { utf8Text } from '../../value/codecs/formats.js';
import { newObject } from '../../value/value.js';
import type { Context, RouteContext } from '../base/context.js';
import { readQueryString } from '../request/query-string.js';
import { bodyOf } from '../request/request-body.js';
import { inSession } from '../request/request-session.js';
import { addressOf, type Due, dueContent, type Place, tryOutContent, waysContent } from '../sign-in-page/contents.js';
import { messageForPeople, messageForWord } from '../sign-in-page/messages.js';
import { leadOn, sendAuthPage } from '../sign-in-page/send-page.js';
import { askAgain, isStep, type Posted, STEPS, typedBy } from '../sign-in-page/steps.js';

/** Of `/auth/:ns/:db`, from the page itself and from what is below an access method. */
const FROM_PAGE = '..';
export const FROM_ACCESS = '../../..';

/** Of the address of a request. */
export function databasePathIn(request: FastifyRequest): Place['databasePath'] {
  const { ns, db } = request.params as { readonly ns: string; readonly db: string };
  return { namespace: ns, database: db };
}

/** From the form of the first page, which asks for namespace and database: to their page. */
export function findPageRoute(_: Context, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { ns, db } = readQueryString(request.url) ?? newObject();
  const names = [ns, db].filter((name): name is string => typeof name === 'string' && name !== '');
  // As seen from `/auth` itself.
  return leadOn(reply, names.length === 2 ? `auth/${names.map(encodeURIComponent).join('/')}` : './');
}

/** @throws TesseraError `query_parameter_invalid`; `route_missing` where the pages haven't been built */
export async function signInPageRoute(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const databasePath = databasePathIn(request);
  const query = readQueryString(request.url) ?? newObject();
  const place = placeOf(databasePath, FROM_PAGE, query['challenge'], query['redirect']);
  const app = await context.database.app(databasePath);
  if (!('challenge' in query)) return tryOut(context, reply, app, place);
  const wrong = targetFault(app, place.target);
  if (wrong !== undefined) return sendMessage(context, reply.code(400), app, wrong);
  const error = query['error'];
  const content = waysContent(place, await context.database.waysIn(databasePath));
  return show(context, reply, app, place, content, typeof error === 'string' ? messageForWord(error) : undefined);
}

/** A form of the page. @throws TesseraError `origin_denied`, and errors of the server */
export function signInStepRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  // Other pages may lead here, but not press its buttons.
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw failure('origin_denied');
  const form = new URLSearchParams(utf8Text(bodyOf(request)));
  const place = placeOf(databasePathIn(request), FROM_PAGE, form.get('challenge'), form.get('redirect'));
  return inSession(context, request, reply, (session) => takeStep(context, reply, session, place, form));
}

async function takeStep(
  context: Context,
  reply: FastifyReply,
  session: Session,
  place: Place,
  form: URLSearchParams,
): Promise<unknown> {
  const app = await context.database.app(place.databasePath);
  const wrong = targetFault(app, place.target);
  if (wrong !== undefined) return sendMessage(context, reply.code(400), app, wrong);
  const ways = await context.database.waysIn(place.databasePath);
  const way = ways.find(({ access }) => access === form.get('access'));
  const step = form.get('step');
  if (way === undefined || !isStep(step)) throw failure('malformed_request', { reason: 'it is no form of this page' });
  const posted: Posted = { session, place, way, form };
  try {
    const outcome = await STEPS[step](posted);
    return typeof outcome === 'string' ? leadFrom(place, reply, outcome) : show(context, reply, app, place, outcome);
  } catch (error) {
    return refused(context, reply, app, place, error, posted);
  }
}

/**
 * Goes on with what a mailed link, or a provider, has proved for this page: in their route, since nothing but the
 * browser's way leads from there to here.
 */
export async function goOnAtPage(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { answer, target }: Extract<Onward, { to: 'page' }>,
): Promise<unknown> {
  const databasePath = databasePathIn(request);
  const place: Place = { root: FROM_ACCESS, databasePath, target };
  const app = await context.database.app(databasePath);
  if ('error' in answer) return leadOn(reply, `${addressOf(place)}?${new URLSearchParams({ ...target, ...answer })}`);
  const { code, access } = answer;
  return inSession(context, request, reply, async (session) => {
    try {
      const variables = newObject();
      variables['code'] = code;
      const credentials = { kind: 'access', databasePath, access, variables } as const;
      return leadFrom(place, reply, await session.signInAtPage({ way: 'signin', credentials, target }));
    } catch (error) {
      return refused(context, reply, app, place, error);
    }
  });
}

/** The second proof, if that is what is missing; else the page again, with what is wrong. */
async function refused(
  context: Context,
  reply: FastifyReply,
  app: App,
  place: Place,
  error: unknown,
  posted?: Posted,
): Promise<unknown> {
  if (!(error instanceof TesseraError)) throw error;
  const ways = await context.database.waysIn(place.databasePath);
  const due = secondFactorIn(error);
  if (due !== undefined) return show(context, reply, app, place, dueContent(place, ways, dueOf(due)));
  const message = messageForPeople(error);
  if (message === undefined) throw error;
  const again = posted && askAgain(posted);
  const content = again ?? waysContent(place, ways, posted && typedBy(posted));
  return show(context, reply.code(error.httpStatus), app, place, content, message);
}

function dueOf({ request, access = [], enrol = [] }: Readonly<Record<string, unknown>>): Due {
  return { request: request as string, access: access as readonly string[], enrol: enrol as readonly string[] };
}

/** To the app, or to the page itself, of which no address is known but the path. */
function leadFrom(place: Place, reply: FastifyReply, location: string): FastifyReply {
  return leadOn(reply, location.startsWith('?') ? `${addressOf(place)}${location}` : location);
}

function placeOf(databasePath: Place['databasePath'], root: string, challenge: unknown, redirect: unknown): Place {
  const target = {
    challenge: typeof challenge === 'string' ? challenge : '',
    redirect: typeof redirect === 'string' ? redirect : '',
  };
  return { root, databasePath, target };
}

/** No app has led here. Whether there is such a database doesn't show, unless it has an app. */
function tryOut(context: Context, reply: FastifyReply, app: App, place: Place): FastifyReply {
  const content = app.config === undefined ? html`<p>No app signs in here.</p>` : tryOutContent(place);
  const title = `Sign in to ${app.name}`;
  return sendAuthPage(context, reply, app, { root: FROM_PAGE, title, content: html`<h1>${title}</h1>${content}` });
}

/** For who has made the app. */
function sendMessage(context: Context, reply: FastifyReply, app: App, { message }: TesseraError): FastifyReply {
  const content = html`<h1>${app.name}</h1><p role="alert">The app that has led here must be mended: ${message}</p>`;
  return sendAuthPage(context, reply, app, { root: FROM_PAGE, title: app.name, content });
}

function show(
  context: Context,
  reply: FastifyReply,
  app: App,
  { root, target }: Place,
  content: Html,
  message?: string,
): FastifyReply {
  const alert = message === undefined ? undefined : html`<p role="alert">${message}</p>`;
  const onward = target.redirect === TRY_OUT ? undefined : new URL(target.redirect).host;
  return sendAuthPage(context, reply, app, {
    root,
    title: `Sign in to ${app.name}`,
    content: html`<h1>Sign in to ${app.name}</h1>
<p class="onward">${onward === undefined ? 'You are trying it out.' : html`You go on to <b>${onward}</b>.`}</p>
${alert}
${content}`,
  });
}
