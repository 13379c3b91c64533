/**
 * Links to files: addresses with which a file can be got without signing in, for a while. A link is signed with the key
 * of its bucket (HMAC with SHA-256), so that the server keeps nothing of it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { BucketDefinition } from '../catalog/definitions/definition.js';
import { failure } from '../errors/error.js';
import type { FileLink } from '../runtime/file-access.js';

/** Seconds for which a link may be good. */
export const LONGEST_LINK = 7 * 24 * 3600;

/** What is signed of a place: the file, and the identity of its bucket rather than its name. */
interface Signed {
  readonly bucket: Pick<BucketDefinition, 'identity' | 'linkKey'>;
  readonly key: string;
  readonly until: number;
  readonly by: string | undefined;
}

/** The signature of a link, in base64url. */
export function signLink({ bucket, key, until, by }: Signed): string {
  // JSON keeps the parts apart, whatever is in them.
  const text = JSON.stringify(['get', bucket.identity, key, until, by ?? null]);
  return createHmac('sha256', bucket.linkKey).update(text).digest('base64url');
}

/** @throws TesseraError `file_link` for a link that is over, or of another file, or of a key that was replaced */
export function assertLink(
  { until, by, signature }: FileLink,
  signed: Pick<Signed, 'bucket' | 'key'>,
  now: number,
): void {
  const expected = Buffer.from(signLink({ ...signed, until, by }));
  const given = Buffer.from(signature);
  const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
  if (!isSigned || now >= until) throw failure('file_link');
}

/** The query of an address with a link. */
export function linkQuery({ until, by, signature }: FileLink): string {
  const parameters = new URLSearchParams({ until: String(until), ...(by !== undefined && { by }), signature });
  return parameters.toString();
}

/** The link in a query; `undefined` if there is none. @throws TesseraError `file_link` if it isn't one */
export function readFileLink(query: Readonly<Record<string, unknown>>): FileLink | undefined {
  const { until, by, signature } = query;
  if (signature === undefined) return undefined;
  const isLink =
    typeof signature === 'string' &&
    typeof until === 'string' &&
    /^\d{1,12}$/.test(until) &&
    (by === undefined || typeof by === 'string');
  if (!isLink) throw failure('file_link');
  return { until: Number(until), by, signature };
}
