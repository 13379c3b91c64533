import type { TesseraError } from '../../errors/error.js';
import type { Act, Refusal, Witness } from '../../exec/witness.js';
import type { Expression } from '../../language/ast.js';

/** The most that one transaction tells of either kind; the rest is only counted. */
const MAX_BUFFERED = 10_000;

export interface BufferedAction {
  readonly act: Act;
  readonly error: TesseraError | undefined;
}

/** What one attempt at a statement, or at a block of them, has done, until it is known what came of it. */
export class AuditBuffer implements Witness {
  readonly acts: BufferedAction[] = [];
  readonly #refusals = new Map<string, { readonly refusal: Refusal; count: number }>();
  readonly #names = new WeakMap<Expression, string>();
  /** What there was no room for. */
  dropped = 0;

  named(by: Expression, name: string): void {
    this.#names.set(by, name);
  }

  nameBy(by: Expression): string | undefined {
    return this.#names.get(by);
  }

  acted(act: Act, error?: TesseraError): void {
    if (this.acts.length >= MAX_BUFFERED) this.dropped++;
    else this.acts.push({ act, error });
  }

  /** A statement may try the same with any number of records. */
  refused(refusal: Refusal): void {
    const key = JSON.stringify([refusal.action, refusal.table, refusal.field]);
    const known = this.#refusals.get(key);
    if (known !== undefined) known.count++;
    else if (this.#refusals.size >= MAX_BUFFERED) this.dropped++;
    else this.#refusals.set(key, { refusal, count: 1 });
  }

  refusals(): Iterable<{ readonly refusal: Refusal; readonly count: number }> {
    return this.#refusals.values();
  }

  /** Whether an act tells of an error already. */
  hasRecorded(error: TesseraError): boolean {
    return this.acts.some((each) => each.error === error);
  }
}
