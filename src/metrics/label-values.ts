/** Label values that a family has seen stay apart up to here; those of later ones are counted together. */
export const OTHER = 'other';

/**
 * The children of a family of metrics, one for each combination of label values, at most `most` of them: what a client
 * names must not make the server keep ever more. Further combinations share a child whose values are all `other`.
 */
export class LabelValues<Child> {
  readonly #children = new Map<string, { readonly values: readonly string[]; readonly child: Child }>();
  readonly #make: () => Child;
  readonly #most: number;

  constructor(make: () => Child, most: number) {
    this.#make = make;
    this.#most = most;
  }

  of(values: readonly string[]): Child {
    const key = values.length === 1 ? (values[0] as string) : values.join('\0');
    const found = this.#children.get(key);
    if (found !== undefined) return found.child;
    if (this.#children.size >= this.#most && values.some((value) => value !== OTHER)) {
      return this.of(values.map(() => OTHER));
    }
    const child = this.#make();
    this.#children.set(key, { values, child });
    return child;
  }

  /** In the order in which they were first seen. */
  entries(): Iterable<{ readonly values: readonly string[]; readonly child: Child }> {
    return this.#children.values();
  }
}
