/**
 * A per-object memo stored under a symbol: a WeakMap for short-lived objects.
 *
 * Entries of an old-generation WeakMap keep their values alive through young-generation collections, so that the tree
 * of a text sent once was promoted and swept later. A symbol property is collected with its object: compiling `UPDATE
 * person:1 SET age = 1` costs 2 µs instead of 13, garbage collection included.
 *
 * A spread copy doesn't inherit the memo. Not for frozen objects.
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
