/** Which of several prefixes a term has, without a look at each of them. */

/** A prefix as UTF-8, and its place among the terms of a query. */
export interface Prefix {
  readonly bytes: Uint8Array;
  readonly place: number;
}

export class PrefixTable {
  /** Ascending: all prefixes of a term stand before it, and before those that are greater. */
  readonly #sorted: readonly Prefix[];
  /** By place: the longest other prefix that one begins with; -1 where there is none. */
  readonly #within: number[] = [];

  constructor(prefixes: readonly Prefix[]) {
    this.#sorted = [...prefixes].sort((a, b) => order(a.bytes, b.bytes, 0, b.bytes.length));
    for (const [at, { bytes }] of this.#sorted.entries()) {
      let within = at - 1;
      while (within >= 0 && !this.#begins(bytes, within)) within = this.#within[within] as number;
      this.#within.push(within);
    }
  }

  #begins(bytes: Uint8Array, at: number): boolean {
    const { bytes: prefix } = this.#sorted[at] as Prefix;
    return commonLength(prefix, bytes, 0, bytes.length) === prefix.length;
  }

  /** Visits the places of the prefixes of a term, which is a part of some bytes. */
  visit(bytes: Uint8Array, start: number, end: number, visit: (place: number) => void): void {
    const sorted = this.#sorted;
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (order((sorted[middle] as Prefix).bytes, bytes, start, end) <= 0) low = middle + 1;
      else high = middle;
    }
    let at = low - 1;
    if (at < 0) return;
    // Whatever prefixes the term has, the greatest that isn't greater than it begins with them, too.
    const common = commonLength((sorted[at] as Prefix).bytes, bytes, start, end);
    for (; at >= 0; at = this.#within[at] as number) {
      const prefix = sorted[at] as Prefix;
      if (prefix.bytes.length <= common) visit(prefix.place);
    }
  }
}

function commonLength(prefix: Uint8Array, bytes: Uint8Array, start: number, end: number): number {
  const most = Math.min(prefix.length, end - start);
  let common = 0;
  while (common < most && prefix[common] === bytes[start + common]) common++;
  return common;
}

/** Negative where a prefix comes before a part of some bytes. */
function order(prefix: Uint8Array, bytes: Uint8Array, start: number, end: number): number {
  const common = commonLength(prefix, bytes, start, end);
  const here = common < prefix.length ? (prefix[common] as number) : -1;
  return here - (start + common < end ? (bytes[start + common] as number) : -1);
}
