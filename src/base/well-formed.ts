/** ECMAScript 2024, present in all supported engines and missing from the compiler's library. */
declare global {
  interface String {
    /** Whether the string has no lone surrogates. */
    isWellFormed(): boolean;
    /** The string with lone surrogates replaced by U+FFFD. */
    toWellFormed(): string;
  }
}

export {};
