/** What is known of tokens, found by their place in a text: without cutting them out of it first. */

/** A power of two. */
const SLOTS = 2 ** 15;

/**
 * One token in each slot: the last that was kept there. What isn't found has to be looked for elsewhere, so that tokens
 * of one slot cost no more than that.
 */
export class TokenCache<T extends { readonly token: string }> {
  readonly #slots: (T | undefined)[] = new Array<T | undefined>(SLOTS).fill(undefined);

  /** What was kept of the token between two places, in UTF-16 code units. */
  find(text: string, start: number, end: number): T | undefined {
    const found = this.#slots[slotOf(text, start, end)];
    if (found === undefined || found.token.length !== end - start) return undefined;
    const { token } = found;
    for (let at = start; at < end; at++) if (text.charCodeAt(at) !== token.charCodeAt(at - start)) return undefined;
    return found;
  }

  keep(known: T): void {
    this.#slots[slotOf(known.token, 0, known.token.length)] = known;
  }
}

/** Multiplicative hashing; the high bits depend on all characters. */
function slotOf(text: string, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x9e3779b1);
  return (hash >>> 16) & (SLOTS - 1);
}
