/** @template T, K @param {Iterable<T>} all @param {(each: T) => K} keyOf @returns {Map<K, T[]>} */
export function grouped(all, keyOf) {
  const groups = new Map();
  for (const each of all) {
    const group = groups.get(keyOf(each));
    if (group === undefined) groups.set(keyOf(each), [each]);
    else group.push(each);
  }
  return groups;
}
