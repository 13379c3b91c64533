/**
 * What is worked out of an object once and kept with it: a WeakMap for objects that are made by the thousand and soon forgotten.
 *
 * Whatever is in an old WeakMap outlives the collections of young objects, whether anybody still has the key or not, so that each tree
 * of a text that is sent once was moved twice and then swept from the old space. Kept in the object itself, under a symbol, it goes with
 * it: to compile `UPDATE person:1 SET age = 1` costs 2 µs instead of 13, collections included.
 *
 * A copy made by spreading has nothing of its own, and isn't taken for the object. No use for frozen objects.
 */
export class Derived<K extends object, V> {
  readonly #name = Symbol('derived');

  get(owner: K): V | undefined {
    const entry = (owner as Owner<V>)[this.#name];
    return entry?.owner === owner ? entry.value : undefined;
  }

  set(owner: K, value: V): void {
    (owner as Owner<V>)[this.#name] = { owner, value };
  }
}

interface Owner<V> {
  [name: symbol]: { readonly owner: object; readonly value: V } | undefined;
}
