/**
 * A hash table of short sequences (UTF-16 code units, or bytes) that are looked up where they stand: no string is made
 * of a token, and no more than three places in memory are read.
 */

/** What a sequence is a part of. */
export type Units = Uint8Array | Uint16Array;

/** Of a slot: the hash, where its sequence begins among the units, how many those are, and the value; 0 if free. */
export const PARTS = 4;
const FIRST_SLOTS = 1_024;
const FIRST_UNITS = 8_192;
/** Slots that are looked at; what finds no place in them is kept elsewhere, so that chosen words slow nothing down. */
export const PROBES = 64;

/** A table of code units, or one of bytes. */
export class SequenceTable<Kind extends Units = Units> {
  /** All sequences, one after the other. */
  units: Kind;
  used = 0;
  /** `PARTS` for each slot. With `mask` for those who look up sequences while they find them. */
  slots = new Int32Array(PARTS * FIRST_SLOTS);
  mask = FIRST_SLOTS - 1;
  #count = 0;
  #others: Map<string, number> | undefined;
  readonly #create: (length: number) => Kind;

  constructor(create: (length: number) => Kind) {
    this.#create = create;
    this.units = create(FIRST_UNITS);
  }

  /** The value of a part of some units, whose hash is `hashOf` them; 0 where it has none. */
  valueOf(units: Units, start: number, end: number, hash: number): number {
    const own = this.units;
    const slots = this.slots;
    const mask = this.mask;
    const mixed = mix(hash);
    const length = end - start;
    for (let probe = 0; probe < PROBES; probe++) {
      const at = ((mixed + probe) & mask) * PARTS;
      const value = slots[at + 3] as number;
      if (value === 0) return 0;
      if (slots[at] !== mixed || slots[at + 2] !== length) continue;
      const from = (slots[at + 1] as number) - start;
      let place = start;
      while (place < end && own[from + place] === units[place]) place++;
      if (place === end) return value;
    }
    return this.#others?.get(textOf(units.subarray(start, end))) ?? 0;
  }

  /** Gives a value other than 0 to a part that has none. */
  add(units: Units, start: number, end: number, hash: number, value: number): void {
    this.#reserve(end - start);
    for (let at = start; at < end; at++) this.units[this.used + at - start] = units[at] as number;
    this.#add(mix(hash), end - start, value);
  }

  #reserve(length: number): void {
    if (this.used + length <= this.units.length) return;
    const larger = this.#create(2 * (this.used + length));
    larger.set(this.units);
    this.units = larger;
  }

  #add(hash: number, length: number, value: number): void {
    if (2 * ++this.#count > this.mask) this.#grow();
    this.#place(hash, this.used, length, value);
    this.used += length;
  }

  #grow(): void {
    const old = this.slots;
    this.mask = 2 * this.mask + 1;
    this.slots = new Int32Array(PARTS * (this.mask + 1));
    for (let at = 0; at < old.length; at += PARTS) {
      const value = old[at + 3] as number;
      if (value !== 0) this.#place(old[at] as number, old[at + 1] as number, old[at + 2] as number, value);
    }
  }

  #place(hash: number, from: number, length: number, value: number): void {
    const slots = this.slots;
    for (let probe = 0; probe < PROBES; probe++) {
      const at = ((hash + probe) & this.mask) * PARTS;
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

export const FACTOR = 0x9e3779b1;

/** The hash of a sequence with one more unit; that of none is 0. */
export function hashWith(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, FACTOR);
}

export function hashOf(units: Units, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at++) hash = hashWith(hash, units[at] as number);
  return hash;
}

/** Has the low bits depend on the high ones: what stands in a slot. */
export function mix(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return half ^ (half >>> 13);
}
