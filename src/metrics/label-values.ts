/** Label values that a family has seen stay apart up to here; those of later ones are counted together. */
export const OTHER_LABEL = 'other';

/** By the next label's value; behind the last label there is a child. */
type Level<Child> = Map<string, Level<Child> | Child>;

/**
 * The children of a family of metrics, one for each combination of label values, at most `most` of them: what a client
 * names must not make the server keep ever more. Further combinations share a child whose values are all `other`.
 *
 * They are found level by level, since making one key of all values costs more than the counting itself.
 */
export class LabelValues<Child extends object> {
  readonly #root: Level<Child> = new Map();
  readonly #children: { readonly values: readonly string[]; readonly child: Child }[] = [];
  readonly #make: () => Child;
  readonly #most: number;

  constructor(make: () => Child, most: number) {
    this.#make = make;
    this.#most = most;
  }

  /** As many values each time. */
  of(values: readonly string[]): Child {
    let found: Level<Child> | Child | undefined = this.#root;
    for (let at = 0; at < values.length && found !== undefined; at++) {
      found = (found as Level<Child>).get(values[at] as string);
    }
    return found === undefined || found === this.#root ? this.#added(values) : (found as Child);
  }

  #added(values: readonly string[]): Child {
    if (values.length === 0) return this.#unlabelled();
    if (this.#children.length >= this.#most && values.some((value) => value !== OTHER_LABEL)) {
      return this.of(values.map(() => OTHER_LABEL));
    }
    let level = this.#root;
    for (const value of values.slice(0, -1)) {
      let next = level.get(value) as Level<Child> | undefined;
      if (next === undefined) {
        next = new Map();
        level.set(value, next);
      }
      level = next;
    }
    const child = this.#make();
    level.set(values.at(-1) as string, child);
    this.#children.push({ values, child });
    return child;
  }

  /** The one child of a family without labels. */
  #unlabelled(): Child {
    const [known] = this.#children;
    if (known !== undefined) return known.child;
    const child = this.#make();
    this.#children.push({ values: [], child });
    return child;
  }

  /** In the order in which they were first seen. */
  entries(): Iterable<{ readonly values: readonly string[]; readonly child: Child }> {
    return this.#children;
  }
}
