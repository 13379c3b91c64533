/**
 * The chain: each record carries its number, the hash of the record before it, and its own, which is over everything else in it. Whoever
 * changes, removes or puts in a line breaks it there. With a key the hash is an HMAC, which nobody without the key can make anew.
 */
import { createHash, createHmac } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';
import type { AuditEvent } from './event.js';

/** What the first record carries as the hash before it. */
const NOTHING_BEFORE = '0'.repeat(64);

/** The place of a record in its chain. */
export interface ChainLink {
  readonly sequence: number;
  readonly hash: string;
}

const START: ChainLink = { sequence: 0, hash: NOTHING_BEFORE };

/** How every line begins: members stand in the order of their names. */
export const LINE_START = '{"action":"';

/** Texts from outside are cut: records are bounded, whatever clients call things. In UTF-16 units. */
const LONGEST_TEXT = 256;

export class Chain {
  readonly #key: Uint8Array | undefined;
  #last: ChainLink;

  /** Goes on after `last`. */
  constructor(key: Uint8Array | undefined, last: ChainLink = START) {
    this.#key = key;
    this.#last = last;
  }

  /** The line of the next record. `at` is when it happened, in nanoseconds since 1970. */
  seal(event: AuditEvent, at: bigint): string {
    const record = {
      ...(shortened(event) as AuditEvent),
      at: new Date(Number(at / 1_000_000n)).toISOString(),
      sequence: this.#last.sequence + 1,
      previous: this.#last.hash,
    };
    const hash = hashOf(canonicalJson(record) ?? '', this.#key);
    this.#last = { sequence: record.sequence, hash };
    return canonicalJson({ ...record, hash }) ?? '';
  }
}

/** What is wrong with a record. */
export interface ChainFault {
  readonly fault: string;
}

/** Reads the line of a record, and checks that it is as it was sealed. */
export function readLink(
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
  // What parses alike isn't what was written.
  if (text === undefined || canonicalJson(record) !== line)
    return { fault: 'it was changed: it is not canonical JSON' };
  if (hashOf(text, key) !== hash) {
    const wrongKey = key === undefined ? 'or needs a key' : 'or was sealed with another key';
    return { fault: `it was changed, ${wrongKey}: its hash is not that of its content` };
  }
  return { sequence: sequence as number, previous, hash };
}

/** Why a record can't stand after another, if it can't. */
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

/** The same with long texts cut. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value;
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
}
