/** PERMISSIONS clauses as closures. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Permission, Subquery } from '../../language/ast.js';
import { isOfRecordAlone, uncorrelatedIn } from '../../plan/dependencies.js';
import { type FieldsRead, fieldsRead } from '../../plan/fields-read.js';
import { isTruthy } from '../../value/truthiness.js';
import type { Value } from '../../value/value.js';
import type { Checks, Execution } from '../execution.js';
import { type Compiler, type Evaluate, Frame } from '../frame.js';
import { mayKeepFrame } from '../row-frames.js';
import { Scope } from '../scope.js';
import { Variants } from '../variants.js';
import { withSharedValues } from '../with-shared-values.js';
import { isQueryError } from './error-redaction.js';

/** A compiled clause. `where` is evaluated with permissions off: a clause may read data that its subject can't. */
export type Rule =
  | { readonly kind: 'full' | 'none' }
  | {
      readonly kind: 'where';
      readonly condition: Evaluate;
      /** It doesn't change its frame, so that one frame serves all documents. */
      readonly isSteady: boolean;
      /** It says the same of a record to everyone, at any time. */
      readonly isOfRecordAlone: boolean;
      /** The fields that it reads, whatever a query selects. */
      readonly reads: FieldsRead;
      /** Its subqueries that have one value for all documents. */
      readonly shared: ReadonlySet<Subquery>;
    };

/** Compiles a PERMISSIONS clause: `NONE`, `FULL` or a condition. `admits` evaluates it. */
export function compileRule(permission: Permission, compiler: Compiler): Rule {
  if (permission.kind !== 'where') return permission;
  const { condition } = permission;
  return {
    kind: 'where',
    condition: compiler.expression(condition),
    isSteady: !mayKeepFrame(condition),
    isOfRecordAlone: isOfRecordAlone(condition),
    reads: fieldsRead([condition]),
    shared: new Set(uncorrelatedIn(condition)),
  };
}

/** The clauses of definitions that aren't prepared otherwise, each compiled when it is first asked. */
export class CompiledRules {
  readonly #compiler: Compiler;
  readonly #rules = new WeakMap<Permission, Rule>();

  constructor(compiler: Compiler) {
    this.#compiler = compiler;
  }

  of(permission: Permission): Rule {
    let rule = this.#rules.get(permission);
    if (rule === undefined) {
      rule = compileRule(permission, this.#compiler);
      this.#rules.set(permission, rule);
    }
    return rule;
  }
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

/** Whether a clause admits a document. */
export type Judge<Document extends Value> = (document: Document) => PromiseOrValue<boolean>;

/**
 * The same for many documents between which nothing is written, without variables: what doesn't depend on the document
 * is computed once. `judgeAll` calls the judge for each.
 */
export function withJudge<T>(
  rule: Rule,
  execution: Execution,
  judgeAll: (judge: Judge<Value>) => PromiseOrValue<T>,
): PromiseOrValue<T> {
  if (rule.kind !== 'where') return judgeAll(() => rule.kind === 'full');
  const { condition, isSteady, shared } = rule;
  const judge = judgeOf(execution);
  // Several may be judged at the same time over a network.
  if (isSteady && !execution.context.answersLater) {
    const frame = new Frame(judge, new Scope());
    return judgeAll((document) => judged(condition, frame.moveTo(document)));
  }
  if (shared.size === 0) return judgeAll((document) => judged(condition, new Frame(judge, new Scope(), document)));
  return withSharedValues(shared, new Frame(judge, new Scope()), ({ scope }) =>
    judgeAll((document) => judged(condition, new Frame(judge, scope, document).block())),
  );
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
