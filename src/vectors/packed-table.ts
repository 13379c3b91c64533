/** The vectors of one table as they are kept packed: part by part, each of a range of keys. */
import { BlockMemory } from './block-memory.js';
import { type BlockPlace, PackedBlock, paddedLength } from './packed-block.js';

/** Of what vectors are kept. */
export interface PackedSite {
  /** Of the table, the field and the length of the vectors. */
  readonly name: string;
  readonly dimension: number;
  /** The most vectors that a part has. */
  readonly capacity: number;
}

/** Keys from one (included) to another (excluded), and a number by which it is known whether they are as they were. */
export interface PackedRange {
  readonly from: string;
  readonly to: string;
  readonly revision: number | undefined;
}

export interface PackedPart extends PackedRange {
  /** Of the vectors, in their order. */
  readonly keys: readonly string[];
  readonly block: PackedBlock;
}

const FLOAT = 4;
/** What a key takes beside its characters, and a part beside its keys and vectors, in bytes. */
const KEY = 32;
const PART = 512;
/** A part has a place in the memory of its table if it has one in so many of the vectors that there is room for. */
const PLACED = 8;

export class PackedTable {
  readonly #site: PackedSite;
  /** By where they begin. */
  readonly #parts: PackedPart[] = [];
  #memory: BlockMemory | undefined;
  #hasMemory = true;
  /** In bytes. Places in the memory count from when they are taken first, since it doesn't shrink. */
  size = 0;

  constructor(site: PackedSite) {
    this.#site = site;
  }

  /** The part that begins at a key. */
  at(key: string): PackedPart | undefined {
    const part = this.#parts[this.#indexOf(key)];
    return part?.from === key ? part : undefined;
  }

  /** The first part that begins behind a key. */
  behind(key: string): PackedPart | undefined {
    const at = this.#indexOf(key);
    const part = this.#parts[at];
    return part?.from === key ? this.#parts[at + 1] : part;
  }

  /** What a part takes at most, in bytes. */
  mostFor(keys: readonly string[]): number {
    return this.#placeSize + partSize(keys, PackedBlock.sizeOf(keys.length, this.#site.dimension));
  }

  /** A block for so many vectors, in the memory of the table if there is room. */
  newBlock(vectors: number): PackedBlock {
    const { capacity, dimension } = this.#site;
    const isPlaced = this.#hasMemory && vectors * PLACED > capacity && vectors <= capacity;
    return new PackedBlock(vectors, dimension, isPlaced ? this.#place() : undefined);
  }

  /** Keeps a part of which nothing is kept. */
  put(part: PackedPart): void {
    this.#parts.splice(this.#indexOf(part.from), 0, part);
    this.size += partSize(part.keys, part.block.size);
  }

  /** Forgets the parts that overlap a range. */
  clear({ from, to }: Pick<PackedRange, 'from' | 'to'>): void {
    let at = this.#indexOf(from);
    if (at > 0 && (this.#parts[at - 1] as PackedPart).to > from) at--;
    let end = at;
    while (end < this.#parts.length && (this.#parts[end] as PackedPart).from < to) end++;
    for (const { block, keys } of this.#parts.splice(at, end - at)) {
      block.place?.memory.giveBack(block.place.at);
      this.size -= partSize(keys, block.size);
    }
  }

  get #placeSize(): number {
    return FLOAT * paddedLength(this.#site.dimension) * this.#site.capacity;
  }

  #place(): BlockPlace | undefined {
    const { dimension, capacity } = this.#site;
    this.#memory ??= BlockMemory.for(paddedLength(dimension), capacity);
    const memory = this.#memory;
    if (memory?.hasFree === false) this.size += this.#placeSize;
    const at = memory?.take();
    this.#hasMemory = at !== undefined;
    return memory === undefined || at === undefined ? undefined : { memory, at };
  }

  /** Of the first part that begins at a key or behind it. */
  #indexOf(key: string): number {
    let low = 0;
    let high = this.#parts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#parts[middle] as PackedPart).from < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Of a part with these keys and a block of so many bytes. */
function partSize(keys: readonly string[], block: number): number {
  let size = PART + block;
  for (const key of keys) size += KEY + key.length;
  return size;
}
