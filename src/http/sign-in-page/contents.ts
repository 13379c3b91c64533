/** What the page to sign in shows: the ways in of a database, and the steps after them. It works without scripts. */
import { renderSVG } from 'uqr';
import type { WayIn } from '../../auth/page/ways-in.js';
import { type AppTarget, TRY_OUT } from '../../auth/ways/addresses.js';
import { Html, html } from '../../base/html.js';
import { type Entering, inputFor } from './fields.js';

/** Where the page is, and for whom. */
export interface Place {
  /** The address of `/auth`, as seen from the page that is shown: `..`. */
  readonly root: string;
  readonly databasePath: { readonly namespace: string; readonly database: string };
  readonly target: AppTarget;
}

/** What is asked for besides a first proof. */
export interface Due {
  /** The name of the request that has the first proof. */
  readonly request: string;
  /** Access methods that complete it. */
  readonly access: readonly string[];
  /** Those at which a second factor can be got, where the record has none. */
  readonly enrol: readonly string[];
}

/** What a form does (`steps.ts`). */
export type FormStep = 'signin' | 'signup' | 'mail' | 'prove' | 'enrol';

/** Back to all ways in, for the same app. */
function beginAgain(place: Place): Html {
  const query = new URLSearchParams({ ...place.target }).toString();
  return html`<p><a href="${addressOf(place)}?${query}">Begin again</a></p>`;
}

/** The address of the page, or of what is below it. */
export function addressOf({ root, databasePath: { namespace, database } }: Place, ...below: readonly string[]): string {
  return [root, ...[namespace, database, ...below].map(encodeURIComponent)].join('/');
}

interface FormOptions {
  readonly step: FormStep;
  readonly access: string;
  readonly request?: string | undefined;
  /** Of a form that a script fills in: what it does. */
  readonly script?: Html;
}

function form(place: Place, { step, access, request, script }: FormOptions, content: Html): Html {
  const { challenge, redirect } = place.target;
  const hidden = { step, access, challenge, redirect, ...(request !== undefined && { request }) };
  const inputs = Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="post" action="${addressOf(place)}"${script}>${inputs}${content}</form>`;
}

const submit = (text: string) => html`<button type="submit">${text}</button>`;

/** A code that was mailed, or that an app or a list has. */
function codeInput(label: string, isNumber = true): Html {
  const mode = isNumber ? 'numeric' : 'text';
  return html`<label>${label}
<input name="code" inputmode="${mode}" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required></label>`;
}

/** A button that asks for a passkey by a script (`pages/passkeys.ts`), and posts what it gets. */
function passkeyForm(place: Place, way: WayIn, label: string, more: PasskeyOptions = {}): Html {
  const { access, origins = [] } = way;
  const { fields, request, isNew } = more;
  const script = html` hidden data-passkey="${isNew === true ? 'create' : 'get'}" data-origins="${origins.join(' ')}"
data-start="${addressOf(place, access, 'start')}"`;
  const content = html`${fields}<input type="hidden" name="credential">${submit(label)}`;
  return form(place, { step: 'prove', access, request: request ?? '', script }, content);
}

interface PasskeyOptions {
  readonly fields?: readonly Html[];
  readonly request?: string;
  readonly isNew?: boolean;
}

export interface Typed {
  readonly access: string;
  readonly entry: Entering;
  readonly values: ReadonlyMap<string, string>;
}

type Row = (place: Place, way: WayIn, typed: Typed | undefined) => Html | undefined;

function fieldsOf(
  { access }: WayIn,
  entry: Entering,
  paths: readonly string[],
  typed: Typed | undefined,
): readonly Html[] {
  const values = typed?.access === access && typed.entry === entry ? typed.values : undefined;
  return paths.map((path) => inputFor(path, entry, values?.get(path)));
}

function clauseForm(place: Place, way: WayIn, entry: Entering, typed: Typed | undefined): Html | undefined {
  const paths = entry === 'signin' ? way.signIn : way.signUp;
  if (paths === undefined) return undefined;
  const fields = fieldsOf(way, entry, paths, typed);
  return form(place, { step: entry, access: way.access }, html`${fields}${submit(BUTTONS[entry])}`);
}

const BUTTONS: Readonly<Record<Entering, string>> = { signin: 'Sign in', signup: 'Make an account' };

function newHere(content: Html | undefined, isOpen: boolean): Html | undefined {
  return content && html`<details${isOpen ? html` open` : undefined}><summary>New here?</summary>${content}</details>`;
}

const byClause: Row = (place, way, typed) => {
  const isOpen = way.signIn === undefined || (typed?.access === way.access && typed.entry === 'signup');
  return html`${clauseForm(place, way, 'signin', typed)}${newHere(clauseForm(place, way, 'signup', typed), isOpen)}`;
};

const byProvider: Row = (place, { access, label }) => {
  const { challenge, redirect } = place.target;
  const query = new URLSearchParams({ challenge, redirect, page: 'true' }).toString();
  return html`<a class="button" href="${addressOf(place, access, 'start')}?${query}">Continue with ${label}</a>`;
};

const byMail: Row = (place, way, typed) => {
  const paths = way.signIn ?? [];
  const values = typed?.access === way.access ? typed.values : undefined;
  const email = html`<label>E-mail address
<input name="email" type="email" autocomplete="username" value="${values?.get('email') ?? ''}" required></label>`;
  // Most of them matter for new accounts only.
  const fields = paths.map((path) => inputFor(path, 'signup', values?.get(path), false));
  return form(place, { step: 'mail', access: way.access }, html`${email}${fields}${submit('Send me a mail')}`);
};

const byPasskey: Row = (place, way, typed) => {
  const signUp = way.signUp;
  const make =
    signUp &&
    passkeyForm(place, way, 'Make a passkey', { fields: fieldsOf(way, 'signup', signUp, typed), isNew: true });
  return html`${passkeyForm(place, way, 'Sign in with a passkey')}${newHere(make, false)}`;
};

/** How each way signs in, in the order in which they are shown. Absent: it completes what another has begun. */
const FIRST: { readonly [K in WayIn['kind']]?: Row } = {
  passkey: byPasskey,
  oidc: byProvider,
  oauth: byProvider,
  clause: byClause,
  mail: byMail,
};

/** The ways in, each in a section of its own. */
export function waysContent(place: Place, ways: readonly WayIn[], typed?: Typed): Html {
  const sections = Object.entries(FIRST).flatMap(([kind, row]) => {
    const alike = ways.filter((way) => way.kind === kind);
    return alike.map((way) => {
      // Providers say on their buttons which they are.
      const heading = alike.length > 1 && row !== byProvider ? html`<h2>${way.label}</h2>` : undefined;
      return html`<section aria-label="${way.label}">${heading}${row(place, way, typed)}</section>`;
    });
  });
  if (sections.length === 0) return html`<p>There is no way to sign in here.</p>`;
  return html`${sections}<noscript><p>Passkeys need JavaScript.</p></noscript>`;
}

/** After a mail was sent, if one was. */
export function mailedContent(place: Place, { access, forms = [] }: WayIn, request: string): Html {
  const sent = html`<p>If there is an account with that address, or there can be one, a mail is on its way.</p>`;
  if (!forms.includes('code')) return html`${sent}<p>Open the link in it in this browser.</p>${beginAgain(place)}`;
  const content = html`${codeInput('The code in the mail')}${submit('Sign in')}`;
  return html`${sent}${form(place, { step: 'prove', access, request }, content)}${beginAgain(place)}`;
}

type Second = (place: Place, way: WayIn, request: string) => Html;

const byCode =
  (label: string, isNumber: boolean): Second =>
  (place, { access }, request) =>
    form(place, { step: 'prove', access, request }, html`${codeInput(label, isNumber)}${submit('Go on')}`);

/** How each second factor completes a sign-in. */
const SECOND: { readonly [K in WayIn['kind']]?: Second } = {
  totp: byCode('The code of your authenticator app', true),
  passkey: (place, way, request) => passkeyForm(place, way, 'Use a passkey', { request }),
  recovery: byCode('One of your recovery codes', false),
};

/** The second proof that is due, or how to get a second factor. */
export function dueContent(place: Place, ways: readonly WayIn[], { request, access, enrol }: Due): Html {
  if (access.length === 0) {
    const forms = enrol.map((name) =>
      form(place, { step: 'enrol', access: name, request }, submit('Set up an authenticator app')),
    );
    return html`<p>Signing in here needs a second factor.</p>${forms}${beginAgain(place)}`;
  }
  const sections = Object.entries(SECOND).flatMap(([kind, second]) =>
    ways
      .filter((way) => way.kind === kind && access.includes(way.access))
      .map((way) => html`<section aria-label="${way.label}">${second(place, way, request)}</section>`),
  );
  return html`<p>One more step: show that it is you.</p>${sections}${beginAgain(place)}`;
}

/** An authenticator app that is set up at an access method: what it takes, as a URI and as text. */
export interface Enrolment {
  readonly access: string;
  readonly request: string;
  readonly uri: string;
  readonly secret: string;
}

/** What an authenticator app takes, and the code by which it shows that it has it. */
export function enrolContent(place: Place, { access, request, uri, secret }: Enrolment): Html {
  const content = html`${codeInput('The code that it shows')}${submit('Go on')}`;
  // The picture is made here, out of what the server has made.
  return html`<p>Scan this with your authenticator app, or <a href="${uri}">open it there</a>, or type the key.</p>
<div class="qr" role="img" aria-label="QR code">${new Html(renderSVG(uri, { border: 2 }))}</div>
<p>Key: <code>${secret}</code></p>
${form(place, { step: 'prove', access, request }, content)}`;
}

/** The page to which mailed links lead (`pages/confirm.ts`): its link stands behind `#`, so that a script reads it. */
export function confirmContent(app: string, isUsed: boolean): Html {
  return html`<div id="confirm" data-state="${isUsed ? 'expired' : 'open'}"><h1>${app}</h1>
<noscript><p>This page needs JavaScript to read its link.</p></noscript>
<form method="post" id="go-on" hidden>
<p id="begun">If you began in this browser, go on here:</p>
<input type="hidden" name="link">
${submit(`Go on to ${app}`)}
</form>
<section id="code" hidden>
<p>If you began elsewhere, type this code there:</p>
<p><output></output></p>
</section>
<p id="expired" role="alert" hidden>This link was used already, or is too old. Please begin again.</p></div>`;
}

/** Without an app: a script takes its part (`pages/try-out.ts`). */
export function tryOutContent({ root }: Place): Html {
  return html`<div id="try-out" data-sign-in="${root}/../signin" data-redirect="${TRY_OUT}">
<p>Apps lead their users here to sign in. See how it looks, and which session they get:</p>
<p role="status"></p>
<dl hidden></dl>
<button type="button" hidden>Try it out</button>
<noscript><p>Trying it out needs JavaScript; for apps it works without.</p></noscript></div>`;
}
