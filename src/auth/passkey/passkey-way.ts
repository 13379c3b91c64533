/**
 * WITH PASSKEY: passkeys are made by users who are signed in, or sign up. They sign in without a name, so that no
 * client learns which accounts have one.
 */
import type { IdentityGrant } from '../../catalog/credentials/identity.js';
import { drawRequestName, isOver, type PasskeyQuestion } from '../../catalog/credentials/sign-in-request.js';
import { takeOrRefuse } from '../../catalog/limits/rate-limits.js';
import { signUpBuckets } from '../../catalog/limits/request-rates.js';
import type { Random } from '../../env/environment.js';
import { failure, TesseraError } from '../../errors/error.js';
import type { PasskeyWay } from '../../language/ast.js';
import { datetimeNanoseconds, toDatetime } from '../../value/time/datetime.js';
import { type ObjectValue, objectFrom, type RecordId, type Value } from '../../value/value.js';
import type { Proof } from '../assurance.js';
import type { AuthContext } from '../context.js';
import type { IdentityRows } from '../directory.js';
import type { SessionIdentity } from '../identity.js';
import { purposeOf } from '../ways/bearer.js';
import { assertFewOpen, sourceDigest } from '../ways/open-requests.js';
import { malformedStart, type StartBody } from '../ways/start-body.js';
import { type ProofCall, type Proven, type StartedRequest, textIn, type WayPlace, type WayRow } from '../ways/way.js';
import { madePasskey, type Passkey, type Shown, signedBy } from './ceremonies.js';
import { base64url, readMadeCredential, readSignedCredential } from './credential.js';
import { type KnownPasskey, makingOptions, signingOptions } from './options.js';
import { passkeyRefused } from './passkey-refused.js';

/** How long people may take: nanoseconds. */
export const LIFETIME = 300_000_000_000n;
const CHALLENGE_BYTES = 32;
const HANDLE_BYTES = 32;
/** Of one record at an access method. */
const MOST_PASSKEYS = 10;
/** Of the name that people give to a passkey. */
const LONGEST_NAME = 100;

export const PASSKEY_WAY: WayRow<PasskeyWay> = {
  start: startByPasskey,
  proof: 'hwk',
  identities: MOST_PASSKEYS,
  async prove(call) {
    try {
      return await (call.request.passkey?.handle === undefined ? signed(call) : made(call));
    } catch (error) {
      if (error instanceof TesseraError && REFUSALS.has(error.code)) return error;
      throw error;
    }
  },
  tie(rows, { record, incarnation }, { passkey }) {
    if (passkey?.handle !== undefined) rows.identities.keepUserHandle(record, incarnation, passkey.handle);
  },
};

const REFUSALS: ReadonlySet<string> = new Set(['passkey_refused', 'passkey_counter_back']);

/**
 * Begins a request: options for a passkey that is to be made (`link`, `signup`) or to sign.
 * @throws TesseraError `start_malformed`, `rate_limited`, `access_signup_missing`, `too_many_identities`; for links and
 * steps `record_user_required`, `recent_sign_in_required`, `identity_missing`
 */
async function startByPasskey(
  context: AuthContext,
  place: WayPlace,
  way: PasskeyWay,
  body: StartBody,
  identity: SessionIdentity,
): Promise<StartedRequest> {
  const { environment, directory } = context;
  if (body.request !== undefined) return askOwed(context, place, way, body.request);
  if (body.email !== undefined) throw malformedStart("'email' proves nothing here; 'variables' may hold an address");
  const { purpose, own, bearer } = purposeOf(context, body, identity);
  if (body.signup) await admitSignUp(context, place, identity);
  const source = sourceDigest(identity.origin.ip);
  await assertFewOpen(context, place, source);
  const name = drawRequestName(environment.random);
  const started = await directory.proving(place.databasePath, async (rows) => {
    const created = environment.clock.now();
    const { question, options, incarnation } = await questionFor(context, rows, { place, way, body, own });
    await rows.requests.put(name, {
      access: place.access.name,
      kind: way.kind,
      purpose,
      passkey: question,
      challenge: body.challenge,
      variables: body.variables,
      record: own,
      incarnation,
      bearer,
      source,
      created: toDatetime(created),
      expires: toDatetime(created + LIFETIME),
      tries: 0,
    });
    return { request: name, expires: created + LIFETIME, options };
  });
  // The database is gone.
  if (started === undefined) throw failure('invalid_auth');
  return started;
}

/**
 * Asks for a passkey as the second proof that a request owes.
 * @throws TesseraError `invalid_auth` if it owes none, or its record has no passkey here
 */
async function askOwed(
  { environment, directory }: AuthContext,
  place: WayPlace,
  way: PasskeyWay,
  name: string,
): Promise<StartedRequest> {
  const asked = await directory.proving(place.databasePath, async (rows) => {
    const request = await rows.requests.find(name);
    const now = environment.clock.now();
    if (request?.purpose !== 'second' || request.record === undefined || isOver(request, now)) return undefined;
    const known = await rows.identities.ofRecordAt(request.record, place.access.name, way.kind);
    if (known.length === 0) return undefined;
    const challenge = draw(environment.random, CHALLENGE_BYTES);
    const timeout = Number(LIFETIME / 1_000_000n);
    rows.requests.change(name, { ...request, passkey: { challenge } });
    const options = signingOptions(way, { challenge, timeout, passkeys: known.map(knownPasskey) });
    return { request: name, expires: datetimeNanoseconds(request.expires), options };
  });
  if (asked === undefined) throw failure('invalid_auth');
  return asked;
}

/** Nothing is mailed, so that nothing but this limits how many accounts a script makes. */
async function admitSignUp(
  { limits, rates }: AuthContext,
  { databasePath, access }: WayPlace,
  { origin }: SessionIdentity,
): Promise<void> {
  if (access.accessKind.signup === undefined) throw failure('access_signup_missing');
  await takeOrRefuse(limits, signUpBuckets(rates, databasePath, origin.ip));
}

interface Asking {
  readonly place: WayPlace;
  readonly way: PasskeyWay;
  readonly body: StartBody;
  readonly own: RecordId | undefined;
}

interface Asked {
  readonly question: PasskeyQuestion;
  readonly options: ObjectValue;
  readonly incarnation?: string;
}

async function questionFor(
  { environment: { random } }: AuthContext,
  rows: IdentityRows,
  { place: { access }, way, body, own }: Asking,
): Promise<Asked> {
  const challenge = draw(random, CHALLENGE_BYTES);
  const timeout = Number(LIFETIME / 1_000_000n);
  const known = own === undefined ? [] : await rows.identities.ofRecordAt(own, access.name, way.kind);
  const incarnation = own && (await rows.incarnationOf(own))?.id;
  if (own !== undefined && incarnation === undefined) throw failure('record_user_required');
  const of = incarnation === undefined ? {} : { incarnation };
  if (body.step && known.length === 0) throw failure('identity_missing', { access: access.name });
  const passkeys = known.map(knownPasskey);
  if (!body.link && !body.signup) {
    return { question: { challenge }, options: signingOptions(way, { challenge, timeout, passkeys }), ...of };
  }
  if (known.length >= MOST_PASSKEYS)
    throw failure('too_many_identities', { access: access.name, limit: MOST_PASSKEYS });
  const handle = await handleFor(random, rows, own, incarnation);
  const user = { handle, name: textIn(body.variables['name']) ?? (await addressOf(rows, own)) ?? rows.app.name };
  const options = makingOptions(way, { challenge, timeout, passkeys, app: rows.app.name, user });
  return { question: { challenge, handle }, options, ...of };
}

/** The one that the record has, or a new one, which it keeps from now on. */
async function handleFor(
  random: Random,
  rows: IdentityRows,
  own: RecordId | undefined,
  incarnation = '',
): Promise<string> {
  const kept = own && (await rows.identities.userHandle(own, incarnation));
  if (kept !== undefined) return kept;
  const handle = draw(random, HANDLE_BYTES);
  if (own !== undefined) rows.identities.keepUserHandle(own, incarnation, handle);
  return handle;
}

/** The address that a record has proved, which sets it apart from other accounts of the same person. */
async function addressOf(rows: IdentityRows, own: RecordId | undefined): Promise<string | undefined> {
  const proved = own === undefined ? [] : await rows.identities.ofRecord(own);
  return proved.find(({ kind }) => kind === 'mail')?.subject;
}

function draw(random: Random, bytes: number): string {
  return base64url(random.bytes(bytes));
}

/** What an identity keeps of its passkey. */
interface Kept extends Passkey {
  readonly handle: string;
  readonly transports: readonly string[];
  readonly name?: string | undefined;
}

function keptOf({ kept }: IdentityGrant): Kept {
  return kept as unknown as Kept;
}

function knownPasskey(identity: IdentityGrant): KnownPasskey {
  return { id: identity.subject, transports: keptOf(identity).transports };
}

type Call = ProofCall<PasskeyWay>;

/** One that was just made. @throws TesseraError `passkey_refused` */
async function made({ rows, access, way, request, shown }: Call): Promise<Proven> {
  const { challenge, handle } = request.passkey as Required<PasskeyQuestion>;
  const credential = readMadeCredential(shown['credential']);
  const { isVerified, ...passkey } = madePasskey(credential, { way, challenge });
  // Its id was drawn at random by the authenticator: who shows it again wants to take its place.
  if ((await rows.owner(access.name, credential.id)) !== undefined) throw passkeyRefused('it is known already');
  const name = nameIn(shown['name']);
  return {
    subject: credential.id,
    proof: proofOf(passkey, { isVerified }),
    kept: objectFrom({ ...passkey, handle, transports: [...credential.transports], name }),
  };
}

/** One that has signed. @throws TesseraError `passkey_refused`, `passkey_counter_back` */
async function signed({ rows, access, way, request, shown }: Call): Promise<Proven> {
  const { passkey, purpose } = request;
  if (passkey === undefined) throw passkeyRefused('it was not asked for');
  const { challenge } = passkey;
  const credential = readSignedCredential(shown['credential']);
  const identity = await rows.owner(access.name, credential.id);
  if (identity === undefined) throw passkeyRefused('it is not known');
  const kept = keptOf(identity);
  // Who has signed in without a name is whom the passkey names.
  const isOfOwner =
    credential.userHandle === kept.handle || (credential.userHandle === undefined && purpose !== 'sign-in');
  if (!isOfOwner) throw passkeyRefused('it names another user');
  const { counter, isVerified } = signedBy(kept, credential, { way, challenge });
  return {
    subject: credential.id,
    proof: proofOf(kept, { isVerified }),
    kept: objectFrom({ ...kept, transports: [...kept.transports], counter }),
  };
}

function proofOf({ mayBeBackedUp }: Passkey, { isVerified }: Shown): Proof {
  const proof = mayBeBackedUp ? 'swk' : 'hwk';
  return isVerified ? proof : `${proof}_unverified`;
}

/** The name that its user gives it; whatever else is there, it has none. */
function nameIn(given: Value): string | undefined {
  const name = textIn(given)?.replace(/\p{C}/gu, ' ').trim().slice(0, LONGEST_NAME);
  return name === '' ? undefined : name;
}
