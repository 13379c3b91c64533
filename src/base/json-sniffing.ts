/** Content types that clients send by default: `curl -d`, and `fetch` with a string. */
const UNSPECIFIC_TYPES: ReadonlySet<string> = new Set(['', 'application/x-www-form-urlencoded', 'text/plain']);
const OPENING_BRACE = 0x7b;

/** Whether a body is treated as a JSON object although its Content-Type doesn't say so. */
export function looksLikeJsonObject(contentType: string | undefined, firstCharacter: number | undefined): boolean {
  const type = (contentType ?? '').split(';', 1)[0] ?? '';
  return firstCharacter === OPENING_BRACE && UNSPECIFIC_TYPES.has(type.trim().toLowerCase());
}
