/**
 * A hash table of short sequences (UTF-16 code units, or bytes) that are looked up where they stand: no string is made
 * of a token, and no more than three places in memory are read. Texts and bytes have a loop of their own: one that
 * reads both through a function took 16 ns rather than 14 for each token.
 */

/** Of a slot: the hash, where its sequence begins among the units, how many those are, and the value; 0 if free. */
const PARTS = 4;
const FIRST_SLOTS = 1_024;
const FIRST_UNITS = 8_192;
/** Slots that are looked at; what finds no place in them is kept elsewhere, so that chosen words slow nothing down. */
const PROBES = 64;

export class SequenceTable {
  /** All sequences, one after the other. */
  units = new Uint16Array(FIRST_UNITS);
  used = 0;
  #slots = new Int32Array(PARTS * FIRST_SLOTS);
  #mask = FIRST_SLOTS - 1;
  #count = 0;
  #others: Map<string, number> | undefined;

  /** The value of a part of a text; 0 where it has none. */
  ofText(text: string, start: number, end: number): number {
    const hash = hashOfText(text, start, end);
    const { units } = this;
    const slots = this.#slots;
    const length = end - start;
    for (let probe = 0; probe < PROBES; probe++) {
      const at = ((hash + probe) & this.#mask) * PARTS;
      const value = slots[at + 3] as number;
      if (value === 0) return 0;
      if (slots[at] !== hash || slots[at + 2] !== length) continue;
      const from = (slots[at + 1] as number) - start;
      let place = start;
      while (place < end && units[from + place] === text.charCodeAt(place)) place++;
      if (place === end) return value;
    }
    return this.#others?.get(text.slice(start, end)) ?? 0;
  }

  /** The same of a part of some bytes. */
  ofBytes(bytes: Uint8Array, start: number, end: number): number {
    const hash = hashOfBytes(bytes, start, end);
    const { units } = this;
    const slots = this.#slots;
    const length = end - start;
    for (let probe = 0; probe < PROBES; probe++) {
      const at = ((hash + probe) & this.#mask) * PARTS;
      const value = slots[at + 3] as number;
      if (value === 0) return 0;
      if (slots[at] !== hash || slots[at + 2] !== length) continue;
      const from = (slots[at + 1] as number) - start;
      let place = start;
      while (place < end && units[from + place] === bytes[place]) place++;
      if (place === end) return value;
    }
    return this.#others?.get(textOf(bytes.subarray(start, end))) ?? 0;
  }

  /** Gives a value other than 0 to a text that has none. */
  addText(text: string, value: number): void {
    this.#reserve(text.length);
    for (let at = 0; at < text.length; at++) this.units[this.used + at] = text.charCodeAt(at);
    this.#add(hashOfText(text, 0, text.length), text.length, value);
  }

  /** The same for a part of some bytes. */
  addBytes(bytes: Uint8Array, start: number, end: number, value: number): void {
    this.#reserve(end - start);
    for (let at = start; at < end; at++) this.units[this.used + at - start] = bytes[at] as number;
    this.#add(hashOfBytes(bytes, start, end), end - start, value);
  }

  #reserve(length: number): void {
    if (this.used + length <= this.units.length) return;
    const larger = new Uint16Array(2 * (this.used + length));
    larger.set(this.units);
    this.units = larger;
  }

  #add(hash: number, length: number, value: number): void {
    if (2 * ++this.#count > this.#mask) this.#grow();
    this.#place(hash, this.used, length, value);
    this.used += length;
  }

  #grow(): void {
    const old = this.#slots;
    this.#mask = 2 * this.#mask + 1;
    this.#slots = new Int32Array(PARTS * (this.#mask + 1));
    for (let at = 0; at < old.length; at += PARTS) {
      const value = old[at + 3] as number;
      if (value !== 0) this.#place(old[at] as number, old[at + 1] as number, old[at + 2] as number, value);
    }
  }

  #place(hash: number, from: number, length: number, value: number): void {
    const slots = this.#slots;
    for (let probe = 0; probe < PROBES; probe++) {
      const at = ((hash + probe) & this.#mask) * PARTS;
      if (slots[at + 3] !== 0) continue;
      slots[at] = hash;
      slots[at + 1] = from;
      slots[at + 2] = length;
      slots[at + 3] = value;
      return;
    }
    this.#others ??= new Map();
    this.#others.set(textOf(this.units.subarray(from, from + length)), value);
  }
}

function textOf(units: Iterable<number>): string {
  let text = '';
  for (const unit of units) text += String.fromCharCode(unit);
  return text;
}

const FACTOR = 0x9e3779b1;

function hashOfText(text: string, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FACTOR);
  return mixed(hash);
}

function hashOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), FACTOR);
  return mixed(hash);
}

/** Has the low bits depend on the high ones. */
function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return half ^ (half >>> 13);
}
