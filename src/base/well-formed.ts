/** What every JavaScript engine that we run on has, and the declarations of the compiler's library don't tell of yet (ECMAScript 2024). */
declare global {
  interface String {
    /** Whether there are no lone surrogates. */
    isWellFormed(): boolean;
    /** The same with U+FFFD in the place of lone surrogates. */
    toWellFormed(): string;
  }
}

export {};
