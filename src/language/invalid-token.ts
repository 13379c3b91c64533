/** The closing delimiter of a quoted text or name, by its opening one. */
const CLOSING_QUOTES: Readonly<Record<string, string>> = { "'": "'", '"': '"', '`': '`', '⟨': '⟩' };

/**
 * The extent of a token at `start` that can't be read, and what it would have been: a text or a name in quotes if it
 * has an end, and otherwise nothing, up to the end of the source where quotes are open.
 */
export function invalidToken(
  source: string,
  start: number,
): { readonly kind: 'invalid' | 'param' | 'quoted' | 'string' | 'prefixed'; readonly end: number } {
  const first = source[start] as string;
  const isPrefixed = 'rdubfs$'.includes(first);
  const quoteAt = isPrefixed ? start + 1 : start;
  const close = CLOSING_QUOTES[source[quoteAt] as string];
  if (close === undefined) {
    return { kind: 'invalid', end: start + String.fromCodePoint(source.codePointAt(start) as number).length };
  }
  let end = quoteAt + 1;
  while (end < source.length && source[end] !== close) end += source[end] === '\\' ? 2 : 1;
  end++;
  if (end > source.length) return { kind: 'invalid', end: source.length };
  if (first === '$') return { kind: 'param', end };
  if (close === '`' || close === '⟩') return { kind: 'quoted', end };
  return { kind: isPrefixed && first !== 's' ? 'prefixed' : 'string', end };
}
