/** Finding texts in texts. */

/** So many comparisons of characters the runtime's search may take at worst: a fraction of a millisecond. */
const MAX_COMPARISONS = 2 ** 18;

/**
 * Tells where `part` is found in a text, at a place or behind it; −1 if it isn't. The runtime's search takes time by
 * both lengths together for parts
 * that repeat themselves; this one takes time by their sum, whatever they are (Knuth, Morris and Pratt).
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
