/**
 * WITH RECOVERY CODES: made once, shown once, and stored as digests; each is good once. New ones take the place of the
 * old ones when one of them was typed, so that an answer that is lost leaves the user with those that they have.
 */
import { createHash } from 'node:crypto';
import type { IdentityGrant } from '../../catalog/credentials/identity.js';
import type { Random } from '../../env/environment.js';
import { encodeBase32 } from '../../functions/crypto/totp.js';
import type { RecoveryWay } from '../../language/ast.js';
import { toText } from '../../value/text/text.js';
import { isArray, type ObjectValue, objectFrom, type Value } from '../../value/value.js';
import type { AuthContext } from '../context.js';
import type { SessionIdentity } from '../identity.js';
import type { StartBody } from '../ways/start-body.js';
import { type ProofCall, type Proven, type StartedRequest, textIn, type WayPlace, type WayRow } from '../ways/way.js';
import { beginOwn, ownRequest } from './begin.js';

/** 80 bits, so that a fast digest will do. */
const CODE_BYTES = 10;

/**
 * Makes codes (`link`), or begins a step. Errors are those of `ownRequest` and `beginOwn`.
 */
async function startRecovery(
  context: AuthContext,
  place: WayPlace,
  { codes: count }: RecoveryWay,
  body: StartBody,
  identity: SessionIdentity,
): Promise<StartedRequest> {
  const own = ownRequest(context, body, identity);
  if (own.purpose === 'step') return beginOwn(context, place, body, own);
  const subject = toText(own.record);
  const codes = Array.from({ length: count }, () => drawCode(context.environment.random));
  const digests = codes.map((code) => digestOf(subject, code));
  const begun = await beginOwn(context, place, body, own, objectFrom({ codes: digests }));
  return { ...begun, shown: { codes } };
}

/** `abcd-efgh-ijkl-mnop` */
function drawCode(random: Random): string {
  const text = encodeBase32(random.bytes(CODE_BYTES)).toLowerCase();
  return (text.match(/.{4}/g) as string[]).join('-');
}

/** In either case, with hyphens and blanks or without. */
function digestOf(subject: string, code: string): string {
  const plain = code.replace(/[\s-]/g, '').toLowerCase();
  return createHash('sha256').update(`${plain} ${subject}`).digest('base64url');
}

async function proveRecovery({ rows, access, request, shown }: ProofCall<RecoveryWay>): Promise<Proven | undefined> {
  const code = textIn(shown['code']);
  const { record, kept } = request;
  if (code === undefined || record === undefined) return undefined;
  const subject = toText(record);
  const digest = digestOf(subject, code);
  // Codes that are confirmed aren't used up by that.
  if (kept !== undefined) return codesIn(kept).includes(digest) ? { subject, kept, isNew: true } : undefined;
  const codes = codesIn((await rows.owner(access.name, subject))?.kept);
  if (!codes.includes(digest)) return undefined;
  return { subject, kept: objectFrom({ codes: codes.filter((each) => each !== digest) }) };
}

function codesIn(kept: ObjectValue | undefined): readonly Value[] {
  const codes = kept?.['codes'];
  return isArray(codes) ? codes : [];
}

/** Whether an identity still proves anything: codes may be used up. */
export function hasCodesLeft({ kind, kept }: IdentityGrant): boolean {
  return kind !== 'recovery' || codesIn(kept).length > 0;
}

export const RECOVERY_WAY: WayRow<RecoveryWay> = {
  start: startRecovery,
  proof: 'recovery',
  identities: 'one',
  prove: proveRecovery,
};
