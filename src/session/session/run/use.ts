/** USE inside of a text: it lasts for the request, whereas `Session.use` lasts. */
import { withDatabasePath } from '../../../auth/identity.js';
import { andThen, type PromiseOrValue } from '../../../base/promise-or-value.js';
import type { DatabasePath } from '../../../catalog/principal.js';
import { failure } from '../../../errors/error.js';
import type { ExpressionStatement, Name, Use } from '../../../language/ast.js';
import type { AuditRecorder } from '../../../runtime/audit-recorder.js';
import type { Transaction } from '../../../storage/contract.js';
import { untilInterrupted } from '../../../storage/interrupted.js';
import { toText } from '../../../value/text/text.js';
import { newObject, type Value } from '../../../value/value.js';
import type { UseTarget } from '../database-selector.js';
import type { RequestRun } from './request-run.js';

/** Evaluates a name, which may be an expression. */
type EvaluateName = (name: ExpressionStatement) => PromiseOrValue<Value>;

/** USE outside of a transaction: missing namespaces and databases are defined at once. */
export function selectAlone(run: RequestRun, use: Use, evaluate: EvaluateName): PromiseOrValue<Value> {
  const { services, context } = run;
  const { auditor, durability } = context;
  return andThen(targetOf(use, evaluate), (to) => {
    const select = (auditRecorder?: AuditRecorder) => services.selector.select(run.identity, to, auditRecorder);
    const selecting = () => (auditor === undefined ? select() : auditor.defining(select));
    const selected = untilInterrupted(run, andThen(durability.durable, selecting));
    return andThen(selected, (databasePath) => apply(run, databasePath));
  });
}

/** Within a transaction, missing namespaces and databases are defined by it. */
export function selectWithin(
  run: RequestRun,
  transaction: Transaction,
  use: Use,
  evaluate: EvaluateName,
): PromiseOrValue<Value> {
  return andThen(targetOf(use, evaluate), (to) => {
    const selected = run.services.selector.selectWithin(transaction, run.identity, to, run.buffer);
    return andThen(selected, (databasePath) => apply(run, databasePath));
  });
}

/** Selects a path for the later statements; the result has its names. */
function apply(run: RequestRun, databasePath: DatabasePath): Value {
  run.identity = withDatabasePath(run.identity, databasePath);
  const value = newObject();
  value['namespace'] = databasePath.namespace;
  value['database'] = databasePath.database;
  return value;
}

/** The names of a USE statement. @throws TesseraError `name_not_string` */
function targetOf({ namespace, database }: Use, evaluate: EvaluateName): PromiseOrValue<UseTarget> {
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
