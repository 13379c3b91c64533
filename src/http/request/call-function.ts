/** Routes that do what a function of the language does call it, so that they are bound, logged and audited as it is. */
import { invariant } from '../../base/invariant.js';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Expression } from '../../language/ast.js';
import type { Session } from '../../session/contract.js';
import type { Value } from '../../value/value.js';

/** Calls a function of the language in a statement of its own. */
export function callInSession(session: Session, path: string, args: readonly Value[]): PromiseOrValue<Value> {
  return evaluate(session, callOf(path, args));
}

/** Calls a function several times in one statement: all of it happens, or nothing. */
export async function callAllInSession(
  session: Session,
  path: string,
  calls: readonly (readonly Value[])[],
): Promise<void> {
  await evaluate(session, { kind: 'array', items: calls.map((args) => callOf(path, args)) });
}

function callOf(path: string, args: readonly Value[]): Expression {
  return { kind: 'call', path, args: args.map((value): Expression => ({ kind: 'literal', value })) };
}

function evaluate(session: Session, value: Expression): PromiseOrValue<Value> {
  return andThen(session.execute([{ kind: 'return', value }]), ([result]) => {
    invariant(result !== undefined, 'a statement has a result');
    if (!result.outcome.ok) throw result.outcome.error;
    return result.outcome.value;
  });
}
