// A small generator of random numbers that gives the same for the same seed (mulberry32), and what is drawn with it.

/** @param {number} seed */
export function randomFrom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** An integer of 0 to `end - 1`. @param {number} end */
  const below = (end) => Math.floor(next() * end);
  /** @template T @param {readonly T[]} items @returns {T} */
  const pick = (items) => /** @type {T} */ (items[below(items.length)]);
  /** `least` to `most` draws. @param {readonly string[]} items @param {number} least @param {number} most */
  const some = (items, least, most) => Array.from({ length: least + below(most - least + 1) }, () => pick(items));
  /** The text, or nothing, in one of `out` cases given. @param {string} text @param {number} [outOf] */
  const maybe = (text, outOf = 2) => (below(outOf) === 0 ? text : '');
  /** Each `{name}` of a pattern is replaced by a draw from the list of that name. @param {string} pattern @param {Record<string, readonly string[]>} lists */
  const fill = (pattern, lists) =>
    pattern.replace(/\{(\w+)\}/g, (hole, name) => (lists[name] === undefined ? hole : pick(lists[name])));
  return { below, pick, some, maybe, fill };
}

/** @typedef {ReturnType<typeof randomFrom>} Random */
