/** Who may draw numbers from a sequence. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { SequenceDefinition } from '../../catalog/definitions/definition.js';
import { failure } from '../../errors/error.js';
import type { Permission } from '../../language/ast.js';
import type { Execution, SequenceRights } from '../execution.js';
import type { Compiler } from '../frame.js';
import { admits, compileRule, type Rule } from './permission.js';

/**
 * PERMISSIONS of sequences apply to record users and guests, as those of params. A sequence without a clause gives them
 * numbers in stored code alone, such as a function or the DEFAULT of a field: its author has chosen when one is drawn.
 */
export class DefinedSequenceRights implements SequenceRights {
  readonly #compiler: Compiler;
  readonly #rules = new WeakMap<Permission, Rule>();

  constructor(compiler: Compiler) {
    this.#compiler = compiler;
  }

  assertMayDraw(execution: Execution, { name, permissions }: SequenceDefinition): PromiseOrValue<void> {
    if (!execution.checks.view) return undefined;
    const allowed =
      permissions === undefined
        ? execution.inStoredCode === true
        : admits(this.#ruleOf(permissions), execution, undefined);
    return andThen(allowed, (may) => {
      if (!may) throw failure('sequence_forbidden', { name });
    });
  }

  #ruleOf(permission: Permission): Rule {
    let rule = this.#rules.get(permission);
    if (rule === undefined) {
      rule = compileRule(permission, this.#compiler);
      this.#rules.set(permission, rule);
    }
    return rule;
  }
}
