/** The headers with which a file is sent, so that what one user has put can't act as a page of the server's. */
import { FileReference, type ObjectValue } from '../../value/value.js';

/** Types that browsers show without running anything in them; whatever else is saved. */
const SHOWN: ReadonlySet<string> = new Set([
  'application/pdf',
  'audio/aac',
  'audio/flac',
  'audio/mp4',
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'audio/webm',
  'image/apng',
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'text/plain',
  'video/mp4',
  'video/ogg',
  'video/webm',
]);

/**
 * The headers of a file as `file::head` shows it. It may be kept by its reader, who asks whether it is still the same
 * and whether they may still have it, and by no cache in between.
 */
export function fileHeaders(facts: ObjectValue): Record<string, string> {
  const { file, type, digest } = facts;
  const key = file instanceof FileReference ? file.key : '';
  const essence = String(type).split(';', 1)[0] ?? '';
  const hash = Buffer.from(String(digest).replace('sha-256:', ''), 'hex').toString('base64');
  return {
    'content-type': String(type),
    'content-disposition': disposition(SHOWN.has(essence) ? 'inline' : 'attachment', key),
    'content-security-policy': "sandbox; default-src 'none'",
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'private, no-cache',
    'accept-ranges': 'bytes',
    'repr-digest': `sha-256=:${hash}:`,
  };
}

/** RFC 6266, with the name in both of its forms (RFC 8187). */
function disposition(kind: 'inline' | 'attachment', key: string): string {
  const name = key.slice(key.lastIndexOf('/') + 1);
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
