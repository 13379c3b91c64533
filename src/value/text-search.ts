/** Finding texts in texts. */

/** Maximum number of comparisons in the worst case of the runtime's search: a fraction of a millisecond. */
const MAX_COMPARISONS = 2 ** 18;

/**
 * Creates a search for `part`: answers its next position at or after an offset, or −1. The runtime's search takes time
 * in the product of both lengths for repetitive texts; this one in their sum (Knuth, Morris, Pratt).
 */
export function finderOf(text: string, part: string): (from: number) => number {
  if (part.length <= 1 || text.length * part.length <= MAX_COMPARISONS) return (from) => text.indexOf(part, from);
  const search = new TextSearch(part);
  return (from) => search.indexIn(text, from);
}

/** Whether a text holds another. */
export function includesText(text: string, part: string): boolean {
  return part.length <= text.length && finderOf(text, part)(0) >= 0;
}

/** A search for one text in many places. */
class TextSearch {
  /** For each length that is matched: how much still is when the next character differs. */
  readonly #fallback: Int32Array;

  constructor(private readonly part: string) {
    const fallback = new Int32Array(part.length);
    for (let at = 1, matched = 0; at < part.length; at++) {
      const unit = part.charCodeAt(at);
      while (matched > 0 && part.charCodeAt(matched) !== unit) matched = fallback[matched - 1] as number;
      if (part.charCodeAt(matched) === unit) matched++;
      fallback[at] = matched;
    }
    this.#fallback = fallback;
  }

  indexIn(text: string, from: number): number {
    const { part } = this;
    const fallback = this.#fallback;
    for (let at = from, matched = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      while (matched > 0 && part.charCodeAt(matched) !== unit) matched = fallback[matched - 1] as number;
      if (part.charCodeAt(matched) === unit) matched++;
      if (matched === part.length) return at + 1 - matched;
    }
    return -1;
  }
}
