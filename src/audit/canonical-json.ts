/**
 * Canonical JSON (RFC 8785, for the values that records contain): no white space, members sorted by name, so that equal
 * values have equal hashes.
 */

/** Records are shallow; lines of a file that isn't a log may contain anything. */
const MAX_DEPTH = 16;

/**
 * The canonical text; `undefined` if the value isn't JSON or is nested too deep. Members that are `undefined` are
 * omitted.
 */
export function canonicalJson(value: unknown, depth = 0): string | undefined {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (depth >= MAX_DEPTH) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item) => canonicalJson(item, depth + 1));
    return items.includes(undefined) ? undefined : `[${items.join(',')}]`;
  }
  const members: string[] = [];
  for (const [name, member] of Object.entries(value).sort(byName)) {
    if (member === undefined) continue;
    const text = canonicalJson(member, depth + 1);
    if (text === undefined) return undefined;
    members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(',')}}`;
}

/** Ordered by UTF-16 units, as `<` compares. */
function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}
