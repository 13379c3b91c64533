/** PERMISSIONS clauses as closures. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Permission } from '../../language/ast.js';
import { type FieldsRead, fieldsRead } from '../../plan/fields-read.js';
import { isTruthy } from '../../value/truthiness.js';
import type { Value } from '../../value/value.js';
import type { Checks, Execution } from '../runtime/execution.js';
import { type Compiler, type Evaluate, Frame } from '../runtime/frame.js';
import { mayKeepFrame } from '../runtime/row-frames.js';
import { Scope } from '../runtime/scope.js';
import { Variants } from '../runtime/variants.js';
import { isQueryError } from './error-redaction.js';

/** A compiled clause. `where` is evaluated with permissions off: a clause may read data that its subject can't. */
export type Rule =
  | { readonly kind: 'full' | 'none' }
  | {
      readonly kind: 'where';
      readonly condition: Evaluate;
      /** It doesn't change its frame, so that one frame serves all documents. */
      readonly isSteady: boolean;
      /** The fields that it reads, whatever a query selects. */
      readonly reads: FieldsRead;
    };

/** Compiles a PERMISSIONS clause: `NONE`, `FULL` or a condition. `admits` evaluates it. */
export function compileRule(permission: Permission, compiler: Compiler): Rule {
  if (permission.kind !== 'where') return permission;
  const { condition } = permission;
  return {
    kind: 'where',
    condition: compiler.expression(condition),
    isSteady: !mayKeepFrame(condition),
    reads: fieldsRead([condition]),
  };
}

/**
 * Whether a clause admits a document. `variables` are those that the clause may use besides the document's fields, such
 * as `$value`, `$before` and `$after`. An error inside a clause denies, since its text would reveal hidden data.
 */
export function admits(
  rule: Rule,
  execution: Execution,
  document: Value,
  variables?: Readonly<Record<string, Value>>,
): PromiseOrValue<boolean> {
  if (rule.kind !== 'where') return rule.kind === 'full';
  return judged(rule.condition, new Frame(judgeOf(execution), scopeOf(variables), document));
}

/** The same for many documents, without variables: parts that don't depend on the document are prepared once. */
export function judgeOfDocuments(rule: Rule, execution: Execution): (document: Value) => PromiseOrValue<boolean> {
  if (rule.kind !== 'where') return () => rule.kind === 'full';
  const { condition, isSteady } = rule;
  const judge = judgeOf(execution);
  if (isSteady) {
    const frame = new Frame(judge, new Scope());
    return (document) => judged(condition, frame.moveTo(document));
  }
  return (document) => judged(condition, new Frame(judge, new Scope(), document));
}

function judged(condition: Evaluate, frame: Frame): PromiseOrValue<boolean> {
  try {
    const verdict = condition(frame);
    return verdict instanceof Promise ? verdict.then(isTruthy, refuse) : isTruthy(verdict);
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): boolean {
  if (isQueryError(error)) return false;
  throw error;
}

function scopeOf(variables: Readonly<Record<string, Value>> | undefined): Scope {
  const scope = new Scope();
  if (variables === undefined) return scope;
  for (const name of Object.keys(variables)) scope.set(name, variables[name]);
  return scope;
}

/** The execution of permission clauses: nothing is checked, and nothing can be written. */
export function judgeOf(execution: Execution): Execution {
  const variants = Variants.of(execution);
  variants.judge ??= {
    ...execution,
    checks: UNCHECKED,
    writable: false,
    judging: true,
    variants: new Variants(),
  };
  return variants.judge;
}

/** If no PERMISSIONS apply. */
export const UNCHECKED: Checks = { view: false, edit: false };
