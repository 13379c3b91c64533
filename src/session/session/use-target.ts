/** Evaluates the names of a USE statement, which may be expressions. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabasePath } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { ExpressionStatement, Name, Use } from '../../language/ast.js';
import { toText } from '../../value/text/text.js';
import { newObject, type Value } from '../../value/value.js';
import type { UseTarget } from './database-selector.js';

/**
 * Evaluates both names.
 * @throws TesseraError `name_not_string`
 */
export function evaluateUseTarget(
  { namespace, database }: Use,
  evaluate: (name: ExpressionStatement) => PromiseOrValue<Value>,
): PromiseOrValue<UseTarget> {
  const nameOf = (name: Name | undefined, what: string): PromiseOrValue<string | undefined> => {
    if (name === undefined || typeof name === 'string') return name;
    return andThen(evaluate({ kind: 'expression', expression: name }), (value) => {
      if (typeof value !== 'string') throw failure('name_not_string', { what, value: toText(value) });
      return value;
    });
  };
  return andThen(nameOf(namespace, 'namespace'), (ns) =>
    andThen(nameOf(database, 'database'), (db) => ({ namespace: ns, database: db })),
  );
}

/** The result of USE: the selected names. */
export function selectionValue({ namespace, database }: DatabasePath): Value {
  const value = newObject();
  value['namespace'] = namespace;
  value['database'] = database;
  return value;
}
