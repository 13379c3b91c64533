/** The header `Authorization`: a token, or a user with a password. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { CredentialHolder } from '../../rpc/stored-sessions.js';
import type { Session } from '../../session/contract.js';
import type { RequestSelection } from '../base/request-headers.js';

const BEARER = /^bearer +([A-Za-z0-9._~+/=-]+) *$/i;
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/**
 * Whether the header holds a password. Browsers may attach a remembered one to any page's requests, whereas everything
 * else must be set by a script, which requires CORS (protection against CSRF).
 */
export function hasPassword({ authorization }: IncomingHttpHeaders): boolean {
  return authorization !== undefined && /^basic(?: |$)/i.test(authorization);
}

/**
 * Signs the session in by the header; without one it stays a guest's.
 * @throws TesseraError `unsupported_authorization`, `header_invalid`, and as for signing in
 */
export function signInByHeader(
  session: Session,
  header: string | undefined,
  selection: RequestSelection,
): PromiseOrValue<void> {
  if (header === undefined) return undefined;
  const token = BEARER.exec(header)?.[1];
  if (token !== undefined) return session.authenticate(token);
  const credentials = BASIC.exec(header)?.[1];
  if (credentials === undefined) throw failure('unsupported_authorization');
  const { user, password } = readBasic(credentials);
  return session.authenticateBasic(user, password, readLevel(selection));
}

/**
 * The owner of sessions attached over HTTP: the session's account and the very header that signed it in, both hashed to
 * a fixed length.
 */
export function credentialHolder({ account }: Session, header: string | undefined): CredentialHolder | undefined {
  if (account === undefined || header === undefined) return undefined;
  return { account: headerHash(account), credential: headerHash(`${account}\n${header}`), header: headerHash(header) };
}

/** By what sessions are found that a header has attached. */
export function headerHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function readBasic(credentials: string): { user: string; password: string } {
  const bytes = Buffer.from(credentials, 'base64');
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1 || !isUtf8(bytes)) throw failure('unsupported_authorization');
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

function readLevel({ authNamespace, authDatabase }: RequestSelection): { namespace?: string; database?: string } {
  if (authNamespace === undefined) {
    if (authDatabase === undefined) return {};
    throw failure('header_invalid', { name: 'svc-auth-db', reason: 'needs svc-auth-ns beside it' });
  }
  return authDatabase === undefined
    ? { namespace: authNamespace }
    : { namespace: authNamespace, database: authDatabase };
}
