/** Audit events between a statement and its outcome: only what was committed or refused is logged. */
import type { TesseraError } from '../../errors/error.js';
import type { Expression } from '../../language/ast.js';
import type { AdministrativeAction, AuditRecorder, DeniedWrite } from '../../runtime/audit-recorder.js';

/** Events per kind that one transaction may buffer; the rest is only counted. */
const MAX_BUFFERED = 10_000;

export interface BufferedAction {
  readonly act: AdministrativeAction;
  readonly error: TesseraError | undefined;
}

/** Collects the audit events of one attempt at a statement or block; they are written once its outcome is known. */
export class AuditBuffer implements AuditRecorder {
  readonly acts: BufferedAction[] = [];
  readonly #refusals = new Map<string, { readonly refusal: DeniedWrite; count: number }>();
  readonly #names = new WeakMap<Expression, string>();
  /** How many events were dropped for lack of room. */
  dropped = 0;

  recordName(by: Expression, name: string): void {
    this.#names.set(by, name);
  }

  nameOf(by: Expression): string | undefined {
    return this.#names.get(by);
  }

  recordAction(act: AdministrativeAction, error?: TesseraError): void {
    if (this.acts.length >= MAX_BUFFERED) this.dropped++;
    else this.acts.push({ act, error });
  }

  /** A statement may be denied the same action on many records; they are counted as one event. */
  recordDenial(refusal: DeniedWrite): void {
    const key = JSON.stringify([refusal.action, refusal.table, refusal.field]);
    const known = this.#refusals.get(key);
    if (known !== undefined) known.count++;
    else if (this.#refusals.size >= MAX_BUFFERED) this.dropped++;
    else this.#refusals.set(key, { refusal, count: 1 });
  }

  refusals(): Iterable<{ readonly refusal: DeniedWrite; readonly count: number }> {
    return this.#refusals.values();
  }

  /** Whether an action with this error is buffered already. */
  hasRecorded(error: TesseraError): boolean {
    return this.acts.some((each) => each.error === error);
  }
}
