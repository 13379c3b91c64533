import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { FunctionContext } from '../../functions/contract.js';
import { Range, type RecordId } from '../../value/value.js';
import type { Execution } from '../execution.js';
import { nextNumber } from '../next-number.js';
import { inPlainWords } from '../plain-words.js';
import { callClosure } from './closure.js';

const contexts = new WeakMap<Execution, FunctionContext>();

/**
 * What built-in functions see when `execution` calls them. Closures and reads go on with this very execution, its depth and its checks,
 * whatever execution it was derived from.
 */
export function functionContext(execution: Execution): FunctionContext {
  let context = contexts.get(execution);
  if (context === undefined) {
    const { environment, passwords, network, functions, interrupt, unit } = execution;
    context = {
      environment,
      session: execution.identity.session,
      passwords,
      network,
      functions,
      call: (closure, args) => inPlainWords(() => callClosure(execution, closure, args)),
      readRecord: (id) => execution.reader.read(execution, id),
      hasRecord: (id) => hasRecord(execution, id),
      invokeApi: (path, request) => execution.apis.invoke(execution, path, request),
      nextNumber: (sequence) => nextNumber(execution, sequence),
      hasTable: (name) => andThen(unit.catalog(), (catalog) => catalog?.tables.has(name) ?? false),
      hasAnalyzer: (name) => andThen(unit.catalog(), (catalog) => catalog?.analyzers.has(name) ?? false),
      checkpoint: () => interrupt.check(),
      pause: () => interrupt.checkpoint(),
    };
    contexts.set(execution, context);
  }
  return context;
}

function hasRecord(execution: Execution, id: RecordId): PromiseOrValue<boolean> {
  const { reader } = execution;
  if (!(id.key instanceof Range)) return andThen(reader.read(execution, id), (found) => found !== undefined);
  let has = false;
  const done = reader.scan(execution, { table: id.table, range: id, limit: 1 }, ({ length }) => {
    has = length > 0;
    return has;
  });
  return andThen(done, () => has);
}
