/**
 * Variants of an execution that differ in a member or two, each made once.
 *
 * They are kept with it rather than in WeakMaps, whose entries outlive the collections of young objects: that was a
 * third of what a record user's read by id took.
 */
export class Variants<Execution extends { readonly variants: Variants<Execution> }> {
  /** In which permission clauses run. */
  judge: Execution | undefined = undefined;
  /** In which computed fields run that a permission clause looks at. */
  computing: Execution | undefined = undefined;
  /** One level deeper. */
  deeper: Execution | undefined = undefined;
  /** In which code runs that a write causes. */
  caused: Execution | undefined = undefined;
  /** In which nothing can be written. */
  reading: Execution | undefined = undefined;
  /** In which code of definitions runs. */
  capped: Execution | undefined = undefined;
  #owner: Execution | undefined = undefined;

  /** Those of an execution. A copy that brought the variants of another doesn't get them. */
  static of<E extends { readonly variants: Variants<E> }>(execution: E): Variants<E> {
    const { variants } = execution;
    variants.#owner ??= execution;
    return variants.#owner === execution ? variants : new Variants<E>();
  }
}
