/** Names and values as SurrealQL. Statements are put together from these alone: a hostile name stays a name. */
import { toSurqlString } from 'surrealdb';

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Words that mean something else where a name may stand. */
const RESERVED = new Set(['none', 'null', 'true', 'false', 'nan', 'infinity', 'value', 'in', 'out', 'function']);

/** The name of a table, a field, an index…, in backticks where it needs them. */
export function identifier(name: string): string {
  if (PLAIN.test(name) && !RESERVED.has(name.toLowerCase())) return name;
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

/**
 * A value to look at: `person:1`, `d'2026-01-01T00:00:00Z'`, `{ a: 1 }`. Not to be sent: a page knows fewer kinds of
 * values than the server, whose `value::quote` gives the code of a value.
 */
export function literal(value: unknown): string {
  if (typeof value === 'string') return textLiteral(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (value instanceof ArrayBuffer) return bytesLiteral(new Uint8Array(value));
  if (value instanceof Uint8Array) return bytesLiteral(value);
  if (value instanceof Set) return `{${Array.from(value, literal).join(', ')}${value.size > 1 ? '' : ','}}`;
  if (Object.is(value, -0)) return '-0f';
  if (!isPlainObject(value)) return toSurqlString(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${PLAIN.test(name) ? name : textLiteral(name)}: ${literal(member)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function bytesLiteral(bytes: Uint8Array): string {
  return `b"${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}"`;
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A text as a literal. */
export function textLiteral(text: string): string {
  return JSON.stringify(text);
}
