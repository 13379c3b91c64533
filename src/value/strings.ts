/** Orders strings by code point. UTF-16 code units differ from that where a surrogate meets U+E000 … U+FFFF. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const x = a.charCodeAt(index);
    const y = b.charCodeAt(index);
    if (x !== y) return x >= 0xd800 && y >= 0xd800 ? byCodePoint(x) - byCodePoint(y) : x - y;
  }
  return a.length - b.length;
}

/** Maps surrogates above the rest of the plane, in the order of their code points. */
function byCodePoint(unit: number): number {
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

/**
 * The field names of an object by code point. Objects are mostly filled in that order already, so it is checked first.
 *
 *     sortedKeys({ b: 1, a: 2 })   // ['a', 'b']
 */
export function sortedKeys(object: object): string[] {
  const keys = Object.keys(object);
  for (let index = 1; index < keys.length; index++) {
    if (compareStrings(keys[index - 1] as string, keys[index] as string) > 0) return keys.sort(compareStrings);
  }
  return keys;
}
