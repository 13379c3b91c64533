/**
 * Links to files: addresses with which a file can be got or put without signing in, for a while. A link is signed with
 * the key of its bucket (HMAC with SHA-256), so that the server keeps nothing of it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { findIncarnation } from '../catalog/credentials/incarnation.js';
import type { BucketDefinition } from '../catalog/definitions/definition.js';
import { type Identity, mayAct } from '../catalog/principal.js';
import { failure } from '../errors/error.js';
import { LINK_METHODS } from '../functions/calls/files.js';
import { parseRecordId } from '../language/parse.js';
import type { Execution } from '../runtime/execution.js';
import type { FileLink, LinkMaker } from '../runtime/file-access.js';
import { toText } from '../value/text/text.js';
import type { RecordId } from '../value/value.js';

/** Seconds for which a link may be good. */
export const LONGEST_LINK = 7 * 24 * 3600;

/** What a link says, but for its signature. */
export type LinkContent = Omit<FileLink, 'signature'>;

/** What is signed of a place: the file, and the identity of its bucket rather than its name. */
export interface LinkPlace {
  readonly bucket: Pick<BucketDefinition, 'identity' | 'linkKey'>;
  readonly key: string;
  /** That of the record whose link it is: another record of the same id is someone else. */
  readonly incarnation: string | undefined;
  /** Of a link that ends with a session: the mark of the key of its access method (`keyMarks`). */
  readonly keyMark?: string | undefined;
}

/** The incarnation of a record that has a link; `undefined` if there is none. */
export async function incarnationOf(
  { context }: Pick<Execution, 'context'>,
  id: RecordId | undefined,
): Promise<string | undefined> {
  if (id === undefined) return undefined;
  const found = await findIncarnation(context.transaction, await context.catalog(), id);
  return found?.id;
}

/** The signature of a link, in base64url. */
export function signLink(
  { bucket, key, incarnation, keyMark }: LinkPlace,
  { method, until, by, access, type, size, session }: LinkContent,
): string {
  // JSON keeps the parts apart, whatever is in them.
  const parts = [method, bucket.identity, key, until, by, incarnation, access, type, size];
  if (session !== undefined) parts.push(session, keyMark);
  const text = JSON.stringify(parts.map((part) => part ?? null));
  return createHmac('sha256', bucket.linkKey).update(text).digest('base64url');
}

/**
 * @param keyMarks of which one is in the signature of a link that ends with a session
 * @throws TesseraError `file_link` for a link that is over, or of another file, or of a key that was replaced
 */
export function assertLink(
  { signature, ...content }: FileLink,
  place: Omit<LinkPlace, 'keyMark'>,
  keyMarks: readonly string[],
  now: number,
): void {
  const given = Buffer.from(signature);
  const marks = content.session === undefined ? [undefined] : keyMarks;
  const isSigned = marks.some((keyMark) => {
    const expected = Buffer.from(signLink({ ...place, keyMark }, content));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isSigned || now >= content.until) throw failure('file_link');
}

/** Of whom a link to put says no more than that rules apply to them. */
const GUEST = 'guest';

/** Whose link it is: to get, the record with which it ends; to put, those whose rights it has. */
export function linkHolder(
  { principal, auth, databasePath }: Identity,
  method: FileLink['method'],
): Pick<FileLink, 'by' | 'access'> {
  if (auth === undefined) {
    const isBound = method === 'PUT' && !mayAct(principal, 'edit', databasePath);
    return { by: isBound ? GUEST : undefined };
  }
  const isPut = method === 'PUT' && principal.kind === 'record';
  return { by: toText(auth), ...(isPut && { access: principal.access }) };
}

/** The record of a link; `undefined` if it has none. @throws TesseraError `file_link` */
export function recordOfLink({ by }: FileLink): RecordId | undefined {
  if (by === undefined || by === GUEST) return undefined;
  const id = parseRecordId(by);
  if (id === undefined) throw failure('file_link');
  return id;
}

/** Who puts by a link that is signed. */
export function makerOfLink(link: FileLink): LinkMaker {
  const record = recordOfLink(link);
  if (record === undefined) return { kind: link.by === GUEST ? 'guest' : 'system' };
  return { kind: 'record', record, access: link.access ?? '' };
}

/** The query of an address with a link. */
export function linkQuery({ method, until, by, access, type, size, session, signature }: FileLink): string {
  const parameters = new URLSearchParams({
    ...(method !== 'GET' && { method }),
    until: String(until),
    ...(by !== undefined && { by }),
    ...(access !== undefined && { access }),
    ...(type !== undefined && { type }),
    ...(size !== undefined && { size: String(size) }),
    ...(session !== undefined && { session }),
    signature,
  });
  return parameters.toString();
}

/** The link in a query; `undefined` if there is none. @throws TesseraError `file_link` if it isn't one */
export function readFileLink(query: Readonly<Record<string, unknown>>): FileLink | undefined {
  if (query['signature'] === undefined) return undefined;
  const text = (name: string): string | undefined => {
    const value = query[name];
    if (value === undefined || typeof value === 'string') return value;
    throw failure('file_link');
  };
  const number = (name: string, most: number): number | undefined => {
    const digits = text(name);
    if (digits === undefined) return undefined;
    if (!/^\d+$/.test(digits) || digits.length > most) throw failure('file_link');
    return Number(digits);
  };
  const given = text('method') ?? 'GET';
  const method = LINK_METHODS.find((each) => each === given);
  const [until, signature] = [number('until', 12), text('signature')];
  if (method === undefined || until === undefined || signature === undefined) throw failure('file_link');
  const [by, access, type, size, session] = [
    text('by'),
    text('access'),
    text('type'),
    number('size', 16),
    text('session'),
  ];
  return { method, until, by, access, type, size, session, signature };
}
