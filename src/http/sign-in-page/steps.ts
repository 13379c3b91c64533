/** What the forms of the page to sign in do: each leads on to the app, or to another form. */
import { readVariables } from '../../auth/credentials.js';
import type { WayIn } from '../../auth/page/ways-in.js';
import type { Html } from '../../base/html.js';
import { failure } from '../../errors/error.js';
import type { PageEntry, Session, StartedRequest } from '../../session/contract.js';
import { JSON_FORMAT } from '../../value/codecs/formats.js';
import { isObject, newObject, type ObjectValue, objectFrom, type Value } from '../../value/value.js';
import { dueContent, enrolContent, type FormStep, mailedContent, type Place, type Typed } from './contents.js';
import { filledIn, typedIn } from './fields.js';

/** A form that was sent, for one of the ways in of its database. */
export interface Posted {
  readonly session: Session;
  readonly place: Place;
  readonly way: WayIn;
  readonly form: URLSearchParams;
}

/** The address of the app, or what is shown next. */
export type NextPage = string | Html;

/** @throws TesseraError as `Session.signInAtPage` and `Session.startSignIn`; `malformed_request` */
export const STEPS: { readonly [S in FormStep]: (posted: Posted) => Promise<NextPage> } = {
  signin: (posted) => enter(posted, 'signin', filledIn(posted.form, posted.way.signIn ?? [])),
  signup: (posted) => enter(posted, 'signup', filledIn(posted.form, posted.way.signUp ?? [])),

  async mail(posted) {
    const { place, way, form } = posted;
    const variables = filledIn(form, way.signIn ?? []);
    const { redirect } = place.target;
    const { request } = await start(posted, { email: text(form, 'email'), variables, redirect, page: true });
    return mailedContent(place, way, request);
  },

  prove(posted) {
    const { form } = posted;
    const credential = form.get('credential');
    const proof =
      credential === null ? { code: text(form, 'code').trim() } : { credential: readCredential(credential) };
    return enter(posted, 'signin', objectFrom({ request: text(form, 'request'), ...proof }));
  },

  async enrol(posted) {
    const { place, way, form } = posted;
    const { request, shown } = await start(posted, { request: text(form, 'request') });
    const { uri, secret } = shown ?? {};
    if (typeof uri !== 'string' || typeof secret !== 'string') throw failure('access_method_mismatch');
    return enrolContent(place, { access: way.access, request, uri, secret });
  },
};

export function isStep(name: string | null): name is FormStep {
  return name !== null && Object.hasOwn(STEPS, name);
}

/** What was typed into a form, to be shown again with what is wrong. */
export function typedBy({ way, form }: Posted): Typed {
  const values = new Map(typedIn(form));
  const email = form.get('email');
  if (email !== null) values.set('email', email);
  return { access: way.access, entry: form.get('step') === 'signup' ? 'signup' : 'signin', values };
}

/** The form for a code again, which may have been mistyped; `undefined` for every other one. */
export function askAgain({ place, way, form }: Posted): Html | undefined {
  const request = form.get('request') ?? '';
  if (form.get('step') !== 'prove' || !form.has('code') || request === '') return undefined;
  if (way.kind === 'mail') return mailedContent(place, way, request);
  return dueContent(place, [way], { request, access: [way.access], enrol: [] });
}

function enter({ session, place, way }: Posted, entry: PageEntry['way'], given: ObjectValue): Promise<string> {
  const { databasePath, target } = place;
  const variables = readVariables(given);
  return session.signInAtPage({
    way: entry,
    credentials: { kind: 'access', databasePath, access: way.access, variables },
    target,
  });
}

function start({ session, place, way }: Posted, given: Readonly<Record<string, Value>>): Promise<StartedRequest> {
  const { databasePath, target } = place;
  const body = objectFrom({ ...given, challenge: target.challenge });
  return session.startSignIn({ databasePath, access: way.access, body });
}

/** @throws TesseraError `malformed_request` */
function text(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (value === null) throw failure('malformed_request', { reason: `'${name}' is missing` });
  return value;
}

/** What a browser says of a passkey. @throws TesseraError `malformed_request` */
function readCredential(json: string): ObjectValue {
  const credential = JSON_FORMAT.decode(Buffer.from(json));
  return isObject(credential) ? credential : newObject();
}
