/**
 * WITH MAIL: codes and links that prove who reads the mails of an address.
 *
 * What a client gets, and when, doesn't depend on whether a record has the address: only the owner of the mailbox
 * learns that.
 */
import {
  codeDigest,
  drawRequestName,
  isCodeOf,
  type SignInRequest,
  type StartPurpose,
} from '../../catalog/credentials/sign-in-request.js';
import { redirectAllowed } from '../../catalog/definitions/web-addresses.js';
import { type RateBucket, takeOrRefuse } from '../../catalog/limits/rate-limits.js';
import { mailAddress } from '../../catalog/mail/address.js';
import type { Random } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import type { MailForm, MailWay } from '../../language/ast.js';
import { toText } from '../../value/text/text.js';
import { toDatetime } from '../../value/time/datetime.js';
import { isObject, type ObjectValue, objectFrom, type RecordId, type Value } from '../../value/value.js';
import type { AuthContext } from '../context.js';
import type { App, IdentityRows } from '../directory.js';
import { guestIdentity, type SessionIdentity } from '../identity.js';
import { recordFrom } from '../kinds/clause-record.js';
import { pageRedirects, wayUrl } from './addresses.js';
import { type Purpose, purposeOf } from './bearer.js';
import { linkPointer } from './confirm.js';
import { mailIdentity } from './mail-identity.js';
import { codeMail } from './mail-text.js';
import { assertFewOpen, sourceDigest } from './open-requests.js';
import type { StartBody } from './start-body.js';
import { type StartedRequest, textIn, type WayAccess, type WayPlace, type WayRow } from './way.js';

const MINUTE = 60_000_000_000n;
const HOUR = 60n * MINUTE;
/** How long a code or link is valid. */
const LIFETIME = 10n * MINUTE;

/**
 * Begins a request and mails its code, if a record has the address or may sign up with it.
 * @throws TesseraError `address_invalid`, `redirect_unknown`, `public_url_missing`, `rate_limited`, `mail_unavailable`;
 * for links and steps `record_user_required`, `recent_sign_in_required`, `identity_missing`
 */
async function startByMail(
  context: AuthContext,
  place: WayPlace,
  way: MailWay,
  body: StartBody,
  identity: SessionIdentity,
): Promise<StartedRequest> {
  const { environment, directory, publicUrls } = context;
  const { access, databasePath } = place;
  const wanted = wantedBy(context, body, identity);
  const app = await directory.app(databasePath);
  const redirect = redirectFor(app, way.forms, body, publicUrls);
  const page = redirect && wayUrl(publicUrls, app, { databasePath, access: access.name }, 'confirm');
  const source = sourceDigest(identity.origin.ip);
  await admit(context, place, app, wanted, source);
  const claimant = wanted.own ?? (await claimantOf(context, place, body.variables, wanted.address, identity));
  const name = drawRequestName(environment.random);
  const started = await directory.proving(databasePath, async (rows) => {
    const expires = environment.clock.now() + LIFETIME;
    await rows.assertMail();
    const recipient = await recipientOf(rows, access, wanted, claimant);
    const proof = drawProof(environment.random, way.forms, page);
    const request = {
      ...requestOf(place, wanted, body, recipient),
      redirect,
      page: body.page,
      source,
      created: toDatetime(expires - LIFETIME),
      expires: toDatetime(expires),
      // Without a mail no code is right.
      code: recipient.isMailed && proof.code !== undefined ? codeDigest(name, proof.code) : undefined,
    };
    await putRequest(rows, name, request, proof.link);
    if (recipient.isMailed) await mailProof(rows, request, proof, page, expires);
    return { request: name, expires };
  });
  // The database is gone.
  if (started === undefined) throw failure('invalid_auth');
  return started;
}

/** A record has one address, whose place a link takes. */
export const MAIL_WAY: WayRow<MailWay> = {
  start: startByMail,
  proof: 'mail',
  identities: 'one',
  linked(_, text) {
    const address = mailAddress(text);
    return address === undefined ? undefined : { subject: address, address };
  },
  prove({ name, request, shown }) {
    const code = textIn(shown['code']);
    const { subject } = request;
    return code !== undefined && subject !== undefined && isCodeOf(request, name, code) ? { subject } : undefined;
  },
};

/** What a mail proves by: each part only if it is written in the mail. */
interface Proof {
  readonly code: string | undefined;
  readonly link: string | undefined;
}

function drawProof(random: Random, forms: readonly MailForm[], page: string | undefined): Proof {
  const link = page === undefined ? undefined : drawLink(random);
  return { code: forms.includes('code') || link === undefined ? drawCode(random) : undefined, link };
}

type NewRequest = Omit<SignInRequest, 'pointers' | 'purpose'> & { readonly purpose: StartPurpose };

function requestOf(
  { access }: WayPlace,
  { purpose, bearer }: Wanted,
  { challenge, variables }: StartBody,
  { subject, record, incarnation }: Recipient,
) {
  const identity = mailIdentity(subject);
  return {
    access: access.name,
    kind: 'mail' as const,
    purpose,
    subject,
    identity,
    challenge,
    variables,
    record,
    incarnation,
    bearer,
    tries: 0,
  };
}

/** Ends the former request for the same address. */
async function putRequest(rows: IdentityRows, name: string, request: NewRequest, link: string | undefined) {
  const ofAddress = JSON.stringify(['address', request.access, request.purpose, request.subject]);
  await rows.requests.removePointedTo(ofAddress);
  await rows.requests.put(name, request, [ofAddress, ...(link === undefined ? [] : [linkPointer(link)])]);
}

/** The page shows the code as well, to be typed where the request was begun. */
async function mailProof(
  rows: IdentityRows,
  { access, purpose, subject = '' }: NewRequest,
  { code, link }: Proof,
  page: string | undefined,
  expires: bigint,
): Promise<void> {
  const url = link && `${page}#${link}${code === undefined ? '' : `.${code}`}`;
  const mail = codeMail(rows.app, purpose, { code, link: url });
  await rows.queueMail({ ...mail, kind: 'code', to: subject, access, expires });
}

/** What a client asks for. */
interface Wanted extends Purpose {
  /** The address that it names; absent for a step, which goes to the one that was proved. */
  readonly address: string | undefined;
}

function wantedBy(context: AuthContext, body: StartBody, identity: SessionIdentity): Wanted {
  const address = body.step ? undefined : mailAddress(body.email);
  if (address === undefined && !body.step) throw failure('address_invalid');
  return { ...purposeOf(context, body, identity), address };
}

/**
 * Counted by address alone, a stranger could use up the mails of a user; refusing silently would leave users waiting.
 * @throws TesseraError `rate_limited`
 */
async function admit(
  context: AuthContext,
  place: WayPlace,
  { mailsAnHour }: App,
  { address, own }: Wanted,
  source: string | undefined,
): Promise<void> {
  const { namespace, database } = place.databasePath;
  const all = JSON.stringify([namespace, database]);
  const target = `${all} ${address ?? (own && toText(own))}`;
  const bucket = (name: string, key: string, burst: number, per: bigint): RateBucket => ({
    rule: { name, burst, per },
    key,
  });
  const bySource = (from: string) => [
    bucket('mails to an address from a source', `${target} ${from}`, 1, MINUTE),
    bucket('mails an hour to an address from a source', `${target} ${from}`, 5, HOUR / 5n),
    bucket('mails from a source', `${all} ${from}`, 20, HOUR / 20n),
  ];
  await takeOrRefuse(context.limits, [
    ...(source === undefined ? [] : bySource(source)),
    bucket('mails to an address', target, 30, HOUR / 30n),
    bucket('mails of a database', all, mailsAnHour, HOUR / BigInt(mailsAnHour)),
  ]);
  await assertFewOpen(context, place, source);
}

/**
 * The record that SIGNIN answers for the address. The clause always runs, and its failures say nothing, so that an
 * address that has an identity takes as long as others.
 */
async function claimantOf(
  { directory }: AuthContext,
  { databasePath, access }: WayPlace,
  given: ObjectValue,
  address: string | undefined,
  { origin }: SessionIdentity,
): Promise<RecordId | undefined> {
  const { signin } = access.accessKind;
  if (signin === undefined) return undefined;
  const variables = objectFrom({ ...given, email: address });
  const run = { databasePath, variables, identity: guestIdentity({ origin, databasePath }) };
  try {
    return recordFrom(await directory.evaluate(signin, run));
  } catch {
    return undefined;
  }
}

/** Who is to get the mail. */
interface Recipient {
  readonly subject: string;
  readonly record?: RecordId | undefined;
  readonly incarnation?: string | undefined;
  readonly isMailed: boolean;
}

/** @throws TesseraError `identity_missing` for a step of a record without a proved address */
async function recipientOf(
  rows: IdentityRows,
  access: WayAccess,
  { purpose, address = '', own }: Wanted,
  claimant: RecordId | undefined,
): Promise<Recipient> {
  const owner = purpose === 'step' ? undefined : await rows.owner(access.name, address);
  const record = purpose === 'sign-in' ? (owner?.record ?? claimant) : own;
  const incarnation = record && (await rows.incarnationOf(record))?.id;
  const proved = record === undefined ? [] : await rows.identities.ofRecordAt(record, access.name, 'mail');
  if (purpose === 'step') {
    const [identity] = proved;
    if (identity === undefined || record === undefined) throw failure('identity_missing', { access: access.name });
    return { subject: identity.subject, record, incarnation, isMailed: true };
  }
  const subject = address;
  // An address of another record can't be linked; only its owner could notice.
  if (purpose === 'link') {
    const isFree = owner === undefined || toText(owner.record) === toText(own as RecordId);
    return { subject, record, incarnation, isMailed: isFree };
  }
  // Once a record has proved an address, another that stands in its fields has no effect.
  const isKnown =
    incarnation !== undefined &&
    (owner !== undefined || (proved.length === 0 && (await stores(rows, record, address))));
  if (isKnown) return { subject, record, incarnation, isMailed: true };
  return { subject, isMailed: record === undefined && access.accessKind.signup !== undefined };
}

/**
 * Whether a record has an address in one of its fields. A clause that finds it by anything else, such as a name that
 * the client sends, would otherwise mail the code of one user to another.
 */
async function stores(rows: IdentityRows, id: RecordId | undefined, address: string): Promise<boolean> {
  const has = (value: Value): boolean =>
    isObject(value) ? Object.values(value).some(has) : typeof value === 'string' && mailAddress(value) === address;
  return id !== undefined && has(await rows.record(id));
}

/**
 * Where the confirm page leads to; `undefined` if there is to be no link.
 * @throws TesseraError `redirect_unknown`
 */
function redirectFor(
  app: App,
  forms: readonly MailForm[],
  { redirect: asked, page }: StartBody,
  publicUrls: readonly string[],
): string | undefined {
  // The page of the server takes codes as well.
  const isRequired = (asked !== undefined && !page) || !forms.includes('code');
  if (!isRequired && (!forms.includes('link') || publicUrls.length === 0)) return undefined;
  const redirects = page ? pageRedirects(app) : app.redirects;
  const redirect = asked ?? redirects[0];
  if (redirect === undefined && !isRequired) return undefined;
  if (!forms.includes('link') || !redirectAllowed(redirects, redirect)) throw failure('redirect_unknown');
  return redirect;
}

/** Eight digits, each as likely. */
function drawCode(random: Random): string {
  for (;;) {
    const drawn = Buffer.from(random.bytes(4)).readUInt32BE();
    if (drawn < FAIR) return String(drawn % CODES).padStart(CODE_DIGITS, '0');
  }
}

const CODE_DIGITS = 8;
const CODES = 10 ** CODE_DIGITS;
/** The greatest multiple of the number of codes within 32 bits. */
const FAIR = 2 ** 32 - (2 ** 32 % CODES);

const LINK_BYTES = 24;

function drawLink(random: Random): string {
  return Buffer.from(random.bytes(LINK_BYTES)).toString('base64url');
}
