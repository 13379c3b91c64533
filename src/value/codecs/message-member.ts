/**
 * What a request is known by that can't be decoded, such as one nested too deep: its id and session, so that its caller
 * gets the error.
 */
import { DEFAULT_DECODE_LIMITS } from '../nesting.js';
import type { Value } from '../value.js';
import { decodeCbor } from './cbor-decode.js';
import { MAJOR } from './cbor-tags.js';
import { decodeFlatBuffersPart } from './flatbuffers-decode.js';
import { invalidFlatBuffers } from './flatbuffers-parts.js';
import { FlatBuffersReader } from './flatbuffers-reader.js';
import { MEMBER, ONLY, UNION, VALUE_TYPES } from './flatbuffers-tables.js';
import { parseJson } from './json.js';

/** What is looked through for a member: bytes of JSON, items of CBOR, members in FlatBuffers. Clients send it first. */
const MOST_BYTES = 64 * 1024;
const MOST_ITEMS = 16 * 1024;
/** One that is no scalar is none of these; a large one isn't worth reading. */
const ID_LIMITS = { ...DEFAULT_DECODE_LIMITS, maxValues: MOST_ITEMS };

/** What an answer repeats of its request. */
export type MessageMember = 'id' | 'session';

/** It is unknown whether the message has the member. */
export const UNREAD: unique symbol = Symbol('unread');

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/sy;
const SCALAR = /[^\s,}\]]+/y;
const BLANK = /\s*/y;

/** A member of a JSON message that is an object; `undefined` if it has none, and for other messages. */
export function jsonMessageMember(message: Uint8Array, name: MessageMember): Value | typeof UNREAD {
  return unlessMalformed(() => new JsonScan(message).member(name));
}

/** The same of a message in CBOR. */
export function cborMessageMember(message: Uint8Array, name: MessageMember): Value | typeof UNREAD {
  return unlessMalformed(() => new CborScan(message).member(name));
}

/** The same of a message in FlatBuffers, whose members are found without those before them. */
export function flatBuffersMessageMember(message: Uint8Array, name: MessageMember): Value | typeof UNREAD {
  return unlessMalformed(() => {
    const reader = new FlatBuffersReader(message, invalidFlatBuffers);
    const root = reader.root();
    if (reader.uint8(root, UNION.type) !== VALUE_TYPES.object) return undefined;
    const members = reader.vector(reader.required(root, UNION.value), ONLY);
    const length = reader.lengthOf(members);
    for (let index = 0; index < length; index++) {
      if (index === MOST_ITEMS) return UNREAD;
      const member = reader.element(members, index);
      if (reader.text(member, MEMBER.key) !== name) continue;
      return decodeFlatBuffersPart(message, ID_LIMITS, reader.required(member, MEMBER.value));
    }
    return undefined;
  });
}

/** `undefined` if the message is malformed up to there. */
function unlessMalformed(scan: () => Value | typeof UNREAD): Value | typeof UNREAD {
  try {
    return scan();
  } catch {
    return undefined;
  }
}

class JsonScan {
  readonly #text: string;
  readonly #isCut: boolean;
  #at = 0;

  constructor(message: Uint8Array) {
    const { buffer, byteOffset, length } = message;
    this.#isCut = length > MOST_BYTES;
    this.#text = Buffer.from(buffer, byteOffset, Math.min(length, MOST_BYTES)).toString('utf8');
  }

  member(name: MessageMember): Value | typeof UNREAD {
    if (!this.#accepts('{')) return undefined;
    do {
      const found = this.#match(STRING);
      if (found === undefined || !this.#accepts(':')) return this.#isCut ? UNREAD : undefined;
      if (found === `"${name}"`) return this.#scalar();
      this.#skipValue();
    } while (this.#accepts(','));
    return this.#isCut && this.#at >= this.#text.length ? UNREAD : undefined;
  }

  #scalar(): Value {
    const written = this.#match(STRING) ?? this.#match(SCALAR);
    return written === undefined ? undefined : parseJson(written);
  }

  #skipValue(): void {
    for (let depth = 0; this.#at < this.#text.length; ) {
      const character = this.#text[this.#at] as string;
      if (character === '"') {
        if (this.#match(STRING) === undefined) this.#at = this.#text.length;
        continue;
      }
      if (depth === 0 && (character === ',' || character === '}')) return;
      if (character === '[' || character === '{') depth++;
      else if (character === ']' || character === '}') depth--;
      this.#at++;
    }
  }

  #accepts(character: string): boolean {
    this.#skipBlank();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    this.#skipBlank();
    return true;
  }

  #skipBlank(): void {
    this.#match(BLANK);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

const INDEFINITE = 31;

class CborScan {
  readonly #bytes: DataView;
  #at = 0;
  #items = 0;

  constructor(message: Uint8Array) {
    this.#bytes = new DataView(message.buffer, message.byteOffset, message.length);
  }

  /** @throws RangeError beyond the end */
  member(name: MessageMember): Value | typeof UNREAD {
    const { major, argument: members } = this.#head();
    if (major !== MAJOR.map) return undefined;
    for (let left = members ?? Number.POSITIVE_INFINITY; left > 0; left--) {
      const found = this.#item();
      const value = found && this.#item();
      if (found === undefined || value === undefined) return UNREAD;
      if (isNamed(found, name)) return decodeCbor(value, DEFAULT_DECODE_LIMITS);
    }
    return undefined;
  }

  /** The bytes of the next item, with all in it; `undefined` if it is too long to be looked through. */
  #item(): Uint8Array | undefined {
    const { buffer, byteOffset } = this.#bytes;
    const begin = this.#at;
    for (let left = 1; left > 0; left--) {
      if (++this.#items > MOST_ITEMS) return undefined;
      const { major, argument } = this.#head();
      // Its end would have to be searched for.
      if (argument === undefined) return undefined;
      if (major === MAJOR.bytes || major === MAJOR.text) this.#at += argument;
      else if (major === MAJOR.array) left += argument;
      else if (major === MAJOR.map) left += 2 * argument;
      else if (major === MAJOR.tag) left++;
    }
    return new Uint8Array(buffer, byteOffset + begin, this.#at - begin);
  }

  #head(): { readonly major: number; readonly argument: number | undefined } {
    const initial = this.#bytes.getUint8(this.#at++);
    const information = initial & 31;
    return { major: initial >>> 5, argument: information === INDEFINITE ? undefined : this.#argument(information) };
  }

  #argument(information: number): number {
    if (information < 24) return information;
    const at = this.#at;
    const length = 2 ** (information - 24);
    this.#at += length;
    if (length === 1) return this.#bytes.getUint8(at);
    if (length === 2) return this.#bytes.getUint16(at);
    if (length === 4) return this.#bytes.getUint32(at);
    return Number(this.#bytes.getBigUint64(at));
  }
}

function isNamed(item: Uint8Array, name: string): boolean {
  return item.length === 1 + name.length && decodeCbor(item, DEFAULT_DECODE_LIMITS) === name;
}
