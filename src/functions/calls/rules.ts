/** Rules for which functions may be called. Default: all. */
import { failure } from '../../errors/error.js';

/** `all`, or names of functions (`string::len`, `fn::greet`) and of families (`string`, `fn`). */
export type FunctionNames = 'all' | readonly string[];

export interface FunctionRuleOptions {
  readonly allow: FunctionNames;
  readonly deny: FunctionNames;
}

export const ALL_FUNCTIONS: FunctionRuleOptions = { allow: 'all', deny: [] };

/**
 * The more specific name counts: a function before its family, a family before all; of equal ones the one that denies.
 */
export class FunctionRules {
  readonly #options: FunctionRuleOptions;
  readonly #verdicts = new Map<string, boolean>();

  /** `nameOf` returns the present name of a function for its name in 2.x. */
  constructor({ allow, deny }: FunctionRuleOptions, nameOf: (name: string) => string) {
    const named = (names: FunctionNames) => (names === 'all' ? names : names.map(nameOf));
    this.#options = { allow: named(allow), deny: named(deny) };
  }

  /** @throws TesseraError `function_denied` */
  check(name: string): void {
    let verdict = this.#verdicts.get(name);
    if (verdict === undefined) {
      verdict = specificity(this.#options.allow, name) > specificity(this.#options.deny, name);
      this.#verdicts.set(name, verdict);
    }
    if (!verdict) throw failure('function_denied', { name });
  }
}

/** The specificity of the match: in parts of the function's name, 0 for `all`, −1 if none matches. */
function specificity(names: FunctionNames, name: string): number {
  if (names === 'all') return 0;
  return Math.max(
    -1,
    ...names.filter((each) => name === each || name.startsWith(`${each}::`)).map((each) => each.split('::').length),
  );
}
