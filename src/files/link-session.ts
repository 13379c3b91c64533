/**
 * Links that end with the session of who has made them (`{ session: true }`): such a link says by which token the user
 * had signed in. It is over once that token is revoked, or the whole sign-in that the token descends from.
 */
import { credentialOf } from '../auth/ways/bearer.js';
import { Grants } from '../catalog/credentials/grant.js';
import { RevocationList } from '../catalog/credentials/revocation-list.js';
import { keyMarks } from '../catalog/credentials/signing-key.js';
import { areaOf, findAccess } from '../catalog/definitions/lookup.js';
import { recordSubject } from '../catalog/principal.js';
import { failure } from '../errors/error.js';
import type { Execution } from '../runtime/execution.js';
import type { FileLink } from '../runtime/file-access.js';
import { isObject, newObject, type RecordId } from '../value/value.js';

/** The token of a session, its time of issue in nanoseconds since 1970, its identity and family of refresh tokens. */
type SessionToken = readonly [id: string, at: string, identity: string | null, family: string | null];

/** What a link says of the session that makes it. */
export interface LinkSession {
  /** The token, as text of the link (`FileLink.session`). */
  readonly session: string;
  readonly access: string;
  readonly keyMark: string | undefined;
  /** When the session expires, in seconds since 1970; `undefined`: never. */
  readonly expires: number | undefined;
}

/** @throws TesseraError `file_link_session` unless a record user has signed in by a token that can be revoked */
export async function sessionOfLink(execution: Execution): Promise<LinkSession> {
  const { principal, token: claims, session } = execution.identity;
  const { token, at, identity = null, family = null } = credentialOf(isObject(claims) ? claims : newObject());
  if (principal.kind !== 'record' || token === undefined) throw failure('file_link_session');
  const { access } = principal;
  const said: SessionToken = [token, String(at), identity, family];
  const [keyMark] = await keyMarksOf(execution, access);
  return {
    session: Buffer.from(JSON.stringify(said)).toString('base64url'),
    access,
    keyMark,
    expires: session['exp'] === undefined ? undefined : Number(session['exp']),
  };
}

/** The marks of the keys of an access method: that of a link has signed it, too. */
export async function keyMarksOf(
  { context: { transaction }, identity: { databasePath } }: Execution,
  access: string | undefined,
): Promise<readonly string[]> {
  const found = access === undefined ? undefined : await findAccess(transaction, databasePath, access);
  return found === undefined ? [] : keyMarks(found.accessKind);
}

/** Whether the session of a link, whose signature is good, was ended. */
export async function isSessionOver(
  { context: { transaction }, identity: { databasePath } }: Execution,
  record: RecordId,
  { access = '', session = '' }: FileLink,
): Promise<boolean> {
  const area = await areaOf(transaction, databasePath);
  if (area === undefined) return true;
  const [token, at, identity, family] = readSession(session);
  const credential = { token, identity: identity ?? undefined, subject: recordSubject(record), at: BigInt(at) };
  if (await new RevocationList(transaction, area).isRevoked(credential)) return true;
  if (family === null) return false;
  return (await new Grants(transaction, area, access).familyRevocation(family)) !== undefined;
}

/** The text is one of this file, since it was signed. */
function readSession(text: string): SessionToken {
  return JSON.parse(Buffer.from(text, 'base64url').toString());
}
