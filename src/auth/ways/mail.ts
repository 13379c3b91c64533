/**
 * WITH MAIL: codes and links that prove who reads the mails of an address.
 *
 * What a client gets, and when, doesn't depend on whether a record has the address: only the owner of the mailbox
 * learns that.
 */
import {
  codeDigest,
  drawRequestName,
  type SignInPurpose,
  type SignInRequest,
} from '../../catalog/credentials/sign-in-request.js';
import { redirectAllowed } from '../../catalog/definitions/web-addresses.js';
import { type RateBucket, takeOrRefuse } from '../../catalog/limits/rate-limits.js';
import { mailAddress } from '../../catalog/mail/address.js';
import type { Random } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import type { AccessWay, MailForm } from '../../language/ast.js';
import { toText } from '../../value/text/text.js';
import { toDatetime } from '../../value/time/datetime.js';
import { isObject, type ObjectValue, objectFrom, type RecordId } from '../../value/value.js';
import { assertRecentSignIn } from '../assurance.js';
import type { AuthContext } from '../context.js';
import type { App, IdentityRows } from '../directory.js';
import { guestIdentity, type SessionIdentity } from '../identity.js';
import { recordFrom } from '../kinds/clause-record.js';
import { confirmUrl, linkPointer } from './confirm.js';
import { codeMail } from './mail-text.js';
import { assertFewOpen, sourceDigest } from './open-requests.js';
import type { StartBody } from './start-body.js';
import type { StartedRequest, WayAccess, WayPlace } from './way.js';

const MINUTE = 60_000_000_000n;
const HOUR = 60n * MINUTE;
/** How long a code or link is valid. */
const LIFETIME = 10n * MINUTE;

type MailWay = Extract<AccessWay, { kind: 'mail' }>;

/**
 * Begins a request and mails its code, if a record has the address or may sign up with it.
 * @throws TesseraError `address_invalid`, `redirect_unknown`, `public_url_missing`, `rate_limited`, `mail_unavailable`;
 * for links and steps `record_user_required`, `recent_sign_in_required`, `identity_missing`
 */
export async function startByMail(
  context: AuthContext,
  place: WayPlace,
  way: MailWay,
  body: StartBody,
  identity: SessionIdentity,
): Promise<StartedRequest> {
  const { environment, directory } = context;
  const wanted = wantedBy(context, body, identity);
  const source = sourceDigest(identity.origin.ip);
  await admit(context, place, wanted, source);
  const claimant = wanted.own ?? (await claimantOf(context, place, body.variables, wanted.address, identity));
  const name = drawRequestName(environment.random);
  const started = await directory.proving(place.databasePath, async (rows) => {
    const now = environment.clock.now();
    const { access } = place;
    const redirect = redirectFor(rows.app, way.forms, body.redirect, context.publicUrls);
    const confirm =
      redirect === undefined ? undefined : confirmUrl(context.publicUrls, rows.app, place.databasePath, access.name);
    await rows.assertMail();
    const { subject, record, incarnation, isMailed } = await recipientOf(rows, access, wanted, claimant);
    const code = drawCode(environment.random);
    const link = confirm === undefined ? undefined : drawLink(environment.random);
    const request: Omit<SignInRequest, 'pointers'> = {
      access: access.name,
      purpose: wanted.purpose,
      subject,
      challenge: body.challenge,
      redirect,
      variables: body.variables,
      record,
      incarnation,
      bearer: wanted.bearer,
      source,
      created: toDatetime(now),
      expires: toDatetime(now + LIFETIME),
      tries: 0,
      // Without a mail no code is right.
      code: isMailed ? codeDigest(name, code) : undefined,
    };
    const ofAddress = addressPointer(access.name, wanted.purpose, subject);
    await rows.requests.removePointedTo(ofAddress);
    await rows.requests.put(name, request, [ofAddress, ...(link === undefined ? [] : [linkPointer(link)])]);
    const expires = now + LIFETIME;
    if (isMailed) {
      const shown = way.forms.includes('code') || link === undefined ? code : undefined;
      const mail = codeMail(rows.app, wanted.purpose, {
        code: shown,
        link: link === undefined ? undefined : `${confirm}#${link}${shown === undefined ? '' : `.${shown}`}`,
      });
      await rows.queueMail({ ...mail, kind: 'code', to: subject, access: access.name, expires });
    }
    return { request: name, expires };
  });
  // The database is gone.
  if (started === undefined) throw failure('invalid_auth');
  return started;
}

/** What a client asks for. */
interface Wanted {
  readonly purpose: SignInPurpose;
  /** The address that it names; absent for a step, which goes to the one that was proved. */
  readonly address: string | undefined;
  /** The record that is signed in, for a link or step, and the claims of its session. */
  readonly own: RecordId | undefined;
  readonly bearer: ObjectValue | undefined;
}

function wantedBy({ environment }: AuthContext, { link, step, email }: StartBody, identity: SessionIdentity): Wanted {
  const purpose = link ? 'link' : step ? 'step' : 'sign-in';
  const address = step ? undefined : mailAddress(email);
  if (address === undefined && !step) throw failure('address_invalid');
  if (purpose === 'sign-in') return { purpose, address, own: undefined, bearer: undefined };
  const { principal, token } = identity;
  if (principal.kind !== 'record' || !isObject(token)) throw failure('record_user_required');
  if (link) assertRecentSignIn(identity, environment.clock);
  return { purpose, address, own: principal.id, bearer: token };
}

/**
 * Counted by address alone, a stranger could use up the mails of a user; refusing silently would leave users waiting.
 * @throws TesseraError `rate_limited`
 */
async function admit(
  context: AuthContext,
  place: WayPlace,
  { address, own }: Wanted,
  source: string | undefined,
): Promise<void> {
  const { namespace, database } = place.databasePath;
  const { mailsAnHour } = await context.directory.app(place.databasePath);
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
  const proved = record === undefined ? [] : await rows.identities.ofRecord(record, access.name);
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
  const isKnown = incarnation !== undefined && (owner !== undefined || proved.length === 0);
  if (isKnown) return { subject, record, incarnation, isMailed: true };
  return { subject, isMailed: record === undefined && access.accessKind.signup !== undefined };
}

/**
 * Where the confirm page leads to; `undefined` if there is to be no link.
 * @throws TesseraError `redirect_unknown`
 */
function redirectFor(
  { redirects }: App,
  forms: readonly MailForm[],
  asked: string | undefined,
  publicUrls: readonly string[],
): string | undefined {
  const isRequired = asked !== undefined || !forms.includes('code');
  if (!isRequired && (!forms.includes('link') || publicUrls.length === 0)) return undefined;
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

function addressPointer(access: string, purpose: SignInPurpose, subject: string): string {
  return JSON.stringify(['address', access, purpose, subject]);
}
