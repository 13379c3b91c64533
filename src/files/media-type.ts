/** Media types of files: by the endings of their keys, and whether a bucket takes them (TYPES). */
import mime from 'mime';
import { failure } from '../errors/error.js';

const UNKNOWN = 'application/octet-stream';

/** The type and subtype that a file of a key likely has. */
export function mediaTypeOf(key: string): string {
  return mime.getType(key) ?? UNKNOWN;
}

/** RFC 9110, section 8.3.1, without quoted strings that have quotes or backslashes in them. */
const MEDIA_TYPE =
  /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}(?:[ \t]*;[ \t]*[a-z0-9!#$%&'*+.^_`|~-]{1,64}=(?:[a-z0-9!#$%&'*+.^_`|~-]{1,200}|"[\x20\x21\x23-\x5b\x5d-\x7e]{0,200}"))*$/i;

/** A given type with its type and subtype in lower case; `undefined` if it isn't one. */
export function readMediaType(text: string): string | undefined {
  const trimmed = text.trim();
  if (!MEDIA_TYPE.test(trimmed)) return undefined;
  const essence = essenceOf(trimmed);
  return essence + trimmed.slice(essence.length);
}

/** Type and subtype, without parameters. */
export function essenceOf(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** `setting`: what takes these types alone. @throws TesseraError `file_type` */
export function assertTypeAllowed(type: string, types: readonly string[] | undefined, setting = 'TYPES'): void {
  if (types === undefined) return;
  const essence = essenceOf(type);
  const isAllowed = types.some(
    (each) => each === '*/*' || each === essence || (each.endsWith('/*') && essence.startsWith(each.slice(0, -1))),
  );
  if (!isAllowed) throw failure('file_type', { type: essence, types, setting });
}
