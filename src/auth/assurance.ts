/**
 * Assurance: what a sign-in was proved by, how much that is worth, and when. It is in the tokens of record users as
 * `amr`, `acr` and `auth_time` (OpenID Connect Core, section 2; RFC 8176), and so in `$token`, where PERMISSIONS ask
 * for it.
 */
import type { Identity } from '../catalog/principal.js';
import type { Clock } from '../env/environment.js';
import { failure } from '../errors/error.js';
import { isObject, type ObjectValue } from '../value/value.js';
import type { JsonObject } from './tokens/strict-json.js';

/** What a sign-in was proved by. */
export interface Assurance {
  /** Methods in the order of their proofs, each once: `['pwd', 'otp']`. */
  readonly amr: readonly string[];
  readonly acr: 'aal1' | 'aal2';
  /** When the last proof was given, in nanoseconds since 1970. */
  readonly at: bigint;
  /** What an identity provider said about the sign-in there: its claims, which count for nothing here. */
  readonly idp?: ObjectValue | undefined;
}

/** What a proof shows: two of one kind are one factor, shown twice. */
type Factor = 'knowledge' | 'mailbox' | 'federated' | 'possession';

/** What each proof adds to `amr`: its method first. */
const PROOFS = {
  /** A SIGNIN or SIGNUP clause. */
  pwd: { factor: 'knowledge', amr: ['pwd'] },
  /** A code or link by mail. */
  mail: { factor: 'mailbox', amr: ['mail'] },
  /** An identity provider. */
  fed: { factor: 'federated', amr: ['fed'] },
  /** A code of an authenticator app. */
  otp: { factor: 'possession', amr: ['otp'] },
  recovery: { factor: 'possession', amr: ['recovery'] },
  /** A passkey that may be backed up, with user verification. */
  swk: { factor: 'possession', amr: ['swk', 'user', 'mfa'] },
  /** A passkey bound to its device, with user verification. */
  hwk: { factor: 'possession', amr: ['hwk', 'user', 'mfa'] },
  /** The same two without user verification: who has the device can use them. */
  swk_unverified: { factor: 'possession', amr: ['swk'] },
  hwk_unverified: { factor: 'possession', amr: ['hwk'] },
} as const satisfies Record<string, { readonly factor: Factor; readonly amr: readonly [string, ...string[]] }>;

export type Proof = keyof typeof PROOFS;

/** By methods. */
const FACTORS: ReadonlyMap<string, Factor> = new Map(
  Object.values(PROOFS).map(({ factor, amr: [method] }) => [method, factor] as const),
);

/**
 * The assurance of proofs that were given at one time, in nanoseconds since 1970.
 *
 *     assuranceOf(['pwd'], now)          // { amr: ['pwd'], acr: 'aal1', at: now }
 *     assuranceOf(['pwd', 'otp'], now)   // { amr: ['pwd', 'otp'], acr: 'aal2', at: now }
 */
export function assuranceOf(proofs: readonly Proof[], at: bigint): Assurance {
  return assuranceBy(
    proofs.flatMap((proof) => PROOFS[proof].amr),
    at,
  );
}

/** The assurance after one more proof, given at `at`, as by a step. */
export function withProof({ amr, idp }: Assurance, proof: Proof, at: bigint): Assurance {
  return { ...assuranceBy([...amr, ...PROOFS[proof].amr], at), idp };
}

/** The assurance of methods that were proved before, as the row of a refresh token has them. */
export function assuranceBy(methods: readonly string[], at: bigint): Assurance {
  const amr = [...new Set(methods)];
  const factors = new Set(amr.flatMap((method) => FACTORS.get(method) ?? []));
  const isSecond = amr.includes('mfa') || (factors.size > 1 && factors.has('possession'));
  return { amr, acr: isSecond ? 'aal2' : 'aal1', at };
}

/** The claims of a token; `auth_time` in whole seconds since 1970. */
export interface AssuranceClaims {
  readonly amr: readonly string[];
  readonly acr: Assurance['acr'];
  readonly auth_time: number;
  readonly idp?: JsonObject;
}

export function assuranceClaims({ amr, acr, at, idp }: Assurance): AssuranceClaims {
  return { amr, acr, auth_time: Number(at / SECOND), ...(idp !== undefined && { idp: idp as JsonObject }) };
}

const SECOND = 1_000_000_000n;
/** How old the last proof of a recent sign-in may be. */
const RECENT = 600n * SECOND;

/**
 * Call before what a stolen session must not do, such as to add a way in.
 * @throws TesseraError `recent_sign_in_required` unless the last proof of this session is at most ten minutes old
 */
export function assertRecentSignIn({ token, viewer }: Pick<Identity, 'token' | 'viewer'>, clock: Clock): void {
  // What another issuer says is in `idp`, so that this is ours.
  const at = isObject(token) ? token['auth_time'] : undefined;
  const isRecent = Number.isSafeInteger(at) && clock.now() - BigInt(at as number) * SECOND <= RECENT;
  if (!isRecent || viewer !== undefined) throw failure('recent_sign_in_required');
}
