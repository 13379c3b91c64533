/**
 * A hash chain: each record contains its number, the hash of its predecessor, and its own hash over all other members.
 * A changed, removed or inserted record breaks the chain. With a key, the hash is an HMAC, which cannot be forged
 * without it.
 */
import { createHash, createHmac } from 'node:crypto';
import type { AuditEvent } from './event.js';

/** The predecessor's hash of the first record. */
const NOTHING_BEFORE = '0'.repeat(64);

/** The position of a record in its chain. */
export interface ChainLink {
  readonly sequence: number;
  readonly hash: string;
}

const START: ChainLink = { sequence: 0, hash: NOTHING_BEFORE };

/** The beginning of every line: members are sorted by name. */
export const LINE_START = '{"action":"';

/** Client-controlled texts are truncated to this many UTF-16 units, so that records are bounded. */
const LONGEST_TEXT = 256;

export class Chain {
  readonly #key: Uint8Array | undefined;
  readonly #node: string | undefined;
  #last: ChainLink;

  /** Continues after `last`. Each record names `node`, if there is one. */
  constructor(key: Uint8Array | undefined, last: ChainLink = START, node?: string) {
    this.#key = key;
    this.#node = node;
    this.#last = last;
  }

  /** The line of the next record. `at`: time of the event in nanoseconds since 1970. */
  seal(event: AuditEvent, at: bigint): string {
    const record = {
      ...(shortened(event) as AuditEvent),
      at: new Date(Number(at / 1_000_000n)).toISOString(),
      ...(this.#node !== undefined && { node: this.#node }),
      sequence: this.#last.sequence + 1,
      previous: this.#last.hash,
    };
    const hash = hashOf(canonicalJson(record) ?? '', this.#key);
    this.#last = { sequence: record.sequence, hash };
    return canonicalJson({ ...record, hash }) ?? '';
  }
}

/** Why a record is invalid. */
export interface ChainFault {
  readonly fault: string;
}

/** Parses the line of a record and verifies its hash. */
export function readChainLink(
  line: string,
  key: Uint8Array | undefined,
): (ChainLink & { readonly previous: string }) | ChainFault {
  const record = parseObject(line);
  if (record === undefined) return { fault: 'it is not a record' };
  const { hash, ...content } = record;
  const { sequence, previous } = content;
  if (typeof hash !== 'string' || typeof previous !== 'string' || !Number.isSafeInteger(sequence)) {
    return { fault: 'it is not a record' };
  }
  const text = canonicalJson(content);
  // Parsed equality isn't byte equality.
  if (text === undefined || canonicalJson(record) !== line)
    return { fault: 'it was changed: it is not canonical JSON' };
  if (hashOf(text, key) !== hash) {
    const wrongKey = key === undefined ? 'or needs a key' : 'or was sealed with another key';
    return { fault: `it was changed, ${wrongKey}: its hash is not that of its content` };
  }
  return { sequence: sequence as number, previous, hash };
}

/** Why a line isn't a record as it was written; `undefined` if it is. */
export function faultOf(line: string, key: Uint8Array | undefined): string | undefined {
  const link = readChainLink(line, key);
  return 'fault' in link ? link.fault : undefined;
}

/** Why a record cannot follow another; `undefined` if it can. */
export function faultAfter(
  last: ChainLink | undefined,
  next: ChainLink & { readonly previous: string },
): string | undefined {
  const { sequence, hash } = last ?? START;
  if (next.sequence === sequence + 1 && next.previous === hash) return undefined;
  return `what stood before it is missing or was changed: it is number ${next.sequence} of its chain, where number ${sequence + 1} has to follow`;
}

function hashOf(text: string, key: Uint8Array | undefined): string {
  const hash = key === undefined ? createHash('sha256') : createHmac('sha256', key);
  return hash.update(text).digest('hex');
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** The value with long texts truncated. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value;
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
}

// Canonical JSON (RFC 8785, for the values that records contain): no white space, members sorted by name, so that equal
// values have equal hashes.

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
