/** Token claims (RFC 7519, section 4): the spellings accepted, and their form as `$token`. */
import { belongsTo, type Incarnation } from '../../catalog/credentials/incarnation.js';
import { failure } from '../../errors/error.js';
import { timeOfUuid } from '../../functions/identifiers.js';
import type { RequiredClaims, Role } from '../../language/ast.js';
import { datetimeNanoseconds } from '../../value/time/datetime.js';
import { parseUuid } from '../../value/uuid.js';
import { newObject, type ObjectValue, type RecordId, type Value } from '../../value/value.js';
import { MAX_NAME_LENGTH } from '../credentials.js';
import type { Json, JsonObject } from './strict-json.js';

/** The claims that Tessera interprets; all others are only visible in `$token`. */
export interface Claims {
  readonly namespace?: string;
  readonly database?: string;
  readonly access?: string;
  /** A user's name, or the text of a record id. */
  readonly id?: string;
  readonly roles?: Json;
  /** The id of the grant that the bearer signed in with, or of the family of refresh tokens that it belongs to. */
  readonly grant?: string;
  /** The incarnation of the record or user (`catalog/credentials/incarnation.ts`). */
  readonly incarnation?: string;
  /** Whether there are claims about how the bearer has signed in; they are the issuer's. */
  readonly assured: boolean;
  /** Unix seconds, possibly with a fraction. */
  readonly expires?: number;
  readonly notBefore?: number;
  readonly issued?: number;
  /** All claims, under their canonical names. */
  readonly all: JsonObject;
}

type Canonical = 'NS' | 'DB' | 'AC' | 'ID' | 'RL';

const PREFIX = 'https://surrealdb.com/';
const SPELLINGS: Readonly<Record<string, Canonical>> = Object.assign(Object.create(null), {
  ns: 'NS',
  NS: 'NS',
  [`${PREFIX}ns`]: 'NS',
  [`${PREFIX}namespace`]: 'NS',
  db: 'DB',
  DB: 'DB',
  [`${PREFIX}db`]: 'DB',
  [`${PREFIX}database`]: 'DB',
  ac: 'AC',
  AC: 'AC',
  [`${PREFIX}ac`]: 'AC',
  [`${PREFIX}access`]: 'AC',
  id: 'ID',
  ID: 'ID',
  [`${PREFIX}id`]: 'ID',
  [`${PREFIX}record`]: 'ID',
  rl: 'RL',
  RL: 'RL',
  [`${PREFIX}rl`]: 'RL',
  [`${PREFIX}roles`]: 'RL',
});

/** Claims about how the bearer has signed in. */
export const ASSURANCE_CLAIMS = ['amr', 'acr', 'auth_time'] as const;

/**
 * Reads the claims of a payload. A claim given in two spellings is denied, since its issuer may have meant the other
 * one.
 *
 * @throws TesseraError `invalid_auth` if a claim has the wrong type
 */
export function readClaims(payload: JsonObject): Claims {
  const all: { [key: string]: Json } = Object.create(null);
  for (const [key, value] of Object.entries(payload)) {
    const name = SPELLINGS[key] ?? key;
    if (Object.hasOwn(all, name)) throw failure('invalid_auth');
    all[name] = value;
  }
  return {
    all,
    assured: ASSURANCE_CLAIMS.some((claim) => Object.hasOwn(all, claim)),
    ...optional('namespace', name(all['NS'])),
    ...optional('database', name(all['DB'])),
    ...optional('access', name(all['AC'])),
    ...optional('id', text(all['ID'])),
    ...optional('roles', all['RL']),
    ...optional('grant', typeof all['GR'] === 'string' ? all['GR'] : undefined),
    ...optional('incarnation', typeof all['INC'] === 'string' ? all['INC'] : undefined),
    ...optional('expires', time(all['exp'])),
    ...optional('notBefore', time(all['nbf'])),
    ...optional('issued', time(all['iat'])),
  };
}

/** When a token was issued, in nanoseconds since 1970. One without `iat` counts as issued in 1970. */
export function issuedAt({ all, issued = 0 }: Claims): bigint {
  return issueTime(issued, all['jti']);
}

/**
 * The time of issue in nanoseconds since 1970 by the claims `iat` and `jti`: `iat` has seconds; the ids of our own
 * tokens begin with the millisecond.
 */
export function issueTime(iat: number, jti: unknown): bigint {
  const second = BigInt(Math.floor(iat)) * 1_000_000_000n;
  const id = typeof jti === 'string' ? parseUuid(jti) : undefined;
  const issued = id && timeOfUuid(id);
  const exact = issued === undefined ? second : datetimeNanoseconds(issued);
  return exact > second && exact < second + 1_000_000_000n ? exact : second;
}

/**
 * Checks a token against the record that it names. A token with an incarnation, as issued here for existing records, is
 * valid for that incarnation only; any other must have been issued after the record was created, as far as that is
 * known.
 *
 * @throws TesseraError `invalid_auth`
 */
export function assertIncarnation(found: Incarnation | undefined, claims: Claims): void {
  const { incarnation: named } = claims;
  // AUTHENTICATE may still replace a missing record by an existing one.
  const isGood = found === undefined ? named === undefined : belongsTo(found, named, () => issuedAt(claims));
  if (!isGood) throw failure('invalid_auth');
}

/** `$token`. The `ID` of a record user is the record id itself. */
export function claimsValue(claims: Claims, record?: RecordId): ObjectValue {
  const known = shown.get(claims);
  if (known !== undefined && known['ID'] === (record ?? claims.id)) return known;
  const value = newObject();
  for (const [name, claim] of Object.entries(claims.all)) value[name] = jsonValue(claim);
  if (record !== undefined) value['ID'] = record;
  shown.set(claims, value);
  return value;
}

/** Cached per token, since clients send the same token with each request. */
const shown = new WeakMap<Claims, ObjectValue>();

/** Whether `iss` and `aud` are among those that the access method requires. */
export function matchesIssuerAndAudience({ all }: Claims, { issuers, audiences }: RequiredClaims): boolean {
  const { iss, aud } = all;
  const isOneOf = (claim: Json | undefined, listed: readonly string[]) =>
    typeof claim === 'string' && listed.includes(claim);
  return (
    (issuers.length === 0 || isOneOf(iss, issuers)) &&
    (audiences.length === 0 || (Array.isArray(aud) ? aud : [aud]).some((each) => isOneOf(each, audiences)))
  );
}

const ROLES: Readonly<Record<string, Role>> = Object.assign(Object.create(null), {
  owner: 'owner',
  editor: 'editor',
  viewer: 'viewer',
});

/** The role of a name in any case; `undefined` if there is none. */
export function roleNamed(name: string): Role | undefined {
  return ROLES[name.toLowerCase()];
}

/**
 * The roles claimed by a token of a JWT access method. Default: viewer.
 *
 * @throws TesseraError `invalid_auth`, `invalid_role`
 */
export function claimedRoles(claims: Claims): readonly Role[] {
  const { roles } = claims;
  if (roles === undefined) return ['viewer'];
  if (!Array.isArray(roles)) throw failure('invalid_auth');
  return roles.map((name: Json) => {
    if (typeof name !== 'string') throw failure('invalid_auth');
    const role = roleNamed(name);
    if (role === undefined) throw failure('invalid_role', { name });
    return role;
  });
}

/** Depth is bounded by the token reader. */
function jsonValue(json: Json): Value {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(jsonValue);
  const value = newObject();
  for (const [key, member] of Object.entries(json)) value[key] = jsonValue(member);
  return value;
}

function text(claim: Json | undefined): string | undefined {
  if (claim === undefined || typeof claim === 'string') return claim;
  throw failure('invalid_auth');
}

function name(claim: Json | undefined): string | undefined {
  const found = text(claim);
  if (found !== undefined && found.length > MAX_NAME_LENGTH) throw failure('invalid_auth');
  return found;
}

function time(claim: Json | undefined): number | undefined {
  if (claim === undefined || (typeof claim === 'number' && Number.isFinite(claim))) return claim;
  throw failure('invalid_auth');
}

function optional<K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]: V });
}
