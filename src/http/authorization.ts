/** The header `Authorization`: a token, or a user with a password. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { PromiseOrValue } from '../base/promise-or-value.js';
import { failure } from '../errors/error.js';
import type { CredentialHolder } from '../rpc/stored-sessions.js';
import type { Session } from '../session/contract.js';
import type { Selection } from './request-headers.js';

const BEARER = /^bearer +([A-Za-z0-9._~+/=-]+) *$/i;
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/**
 * Whether there is a token in the header. A page has to set it itself, for which a browser asks a foreign server first; a password (Basic) it may
 * remember and add to whatever a page sends.
 */
export function hasToken({ authorization }: IncomingHttpHeaders): boolean {
  return authorization !== undefined && BEARER.test(authorization);
}

/** What a client that isn't signed in is told it could do. */
export const CHALLENGE = 'Bearer realm="tessera", Basic realm="tessera", charset="UTF-8"';

/**
 * Signs the session in as the header says; without one it stays a guest's.
 * @throws TesseraError `unsupported_authorization`, `header_invalid`, and what signing in throws
 */
export function authorize(session: Session, header: string | undefined, selection: Selection): PromiseOrValue<void> {
  if (header === undefined) return undefined;
  const token = BEARER.exec(header)?.[1];
  if (token !== undefined) return session.authenticate(token);
  const credentials = BASIC.exec(header)?.[1];
  if (credentials === undefined) throw failure('unsupported_authorization');
  const { user, password } = readBasic(credentials);
  return session.authenticateBasic(user, password, readLevel(selection));
}

/**
 * What sessions that are attached over HTTP are bound to: the account that a session is signed in to, and the very header that has done it.
 * Of both no more is kept than a hash, whose length is always the same.
 */
export function credentialHolder({ account }: Session, header: string | undefined): CredentialHolder | undefined {
  if (account === undefined || header === undefined) return undefined;
  return { account: hashOf(account), credential: hashOf(`${account}\n${header}`) };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function readBasic(credentials: string): { user: string; password: string } {
  const bytes = Buffer.from(credentials, 'base64');
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1 || !isUtf8(bytes)) throw failure('unsupported_authorization');
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

function readLevel({ authNamespace, authDatabase }: Selection): { namespace?: string; database?: string } {
  if (authNamespace === undefined) {
    if (authDatabase === undefined) return {};
    throw failure('header_invalid', { name: 'svc-auth-db', reason: 'needs svc-auth-ns beside it' });
  }
  return authDatabase === undefined
    ? { namespace: authNamespace }
    : { namespace: authNamespace, database: authDatabase };
}
