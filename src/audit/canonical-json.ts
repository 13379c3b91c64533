/**
 * One text for each value: JSON without white space, with the members of objects in the order of their names (RFC 8785, for the values that
 * records hold), so that whoever has the value can compute its hash.
 */

/** Records are shallow; a line of a file that isn't one may be anything. */
const MAX_DEPTH = 16;

/** The text; `undefined` when the value is none of JSON's or nested too deep. Members that are `undefined` are left out. */
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

/** In the order of their UTF-16 units, as `<` compares. */
function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}
