/** LIVE SELECT: registers a live query, and says what it shows of each change. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { TableEntry } from '../../catalog/database-catalog.js';
import { failure } from '../../errors/error.js';
import { uuidV4 } from '../../functions/identifiers.js';
import type { Live } from '../../language/ast.js';
import { printStatement } from '../../language/print.js';
import { walk } from '../../language/visitor.js';
import { diff } from '../../value/diff.js';
import { equals } from '../../value/order.js';
import { toText } from '../../value/text/text.js';
import { isTruthy } from '../../value/truthiness.js';
import { Table, type Value } from '../../value/value.js';
import { weightOf } from '../../value/weight.js';
import { selectedDatabase } from '../ensure-place.js';
import {
  type Compiler,
  type Evaluate,
  type Execution,
  Frame,
  type LiveQuery,
  Scope,
  type Written,
} from '../execution.js';
import { compileFetch } from '../select/fetch.js';
import { compileProjections } from '../select/projection.js';

export function compileLive(statement: Live, compiler: Compiler): Evaluate {
  const { from } = statement;
  const evaluate: Evaluate = from.kind === 'table' ? () => new Table(from.name) : compiler.expression(from);
  const look = compileLook(statement, compiler);
  const { parameters, weight } = keptWith(statement);
  return (frame) => {
    const { liveQueries, listener, unit, environment, writable } = frame.execution;
    const place = selectedDatabase(frame.execution);
    if (listener === undefined) throw failure('realtime_unavailable');
    if (!writable) throw failure('read_only');
    return andThen(evaluate(frame), (target) => {
      if (!(target instanceof Table)) throw failure('invalid_target', { statement: 'LIVE', value: toText(target) });
      return andThen(unit.catalog(), (catalog) => {
        if (catalog === undefined) throw failure('database_missing', { name: place.database });
        const table = catalog.tables.get(target.name);
        if (table === undefined) throw failure('table_missing', { name: target.name });
        const variables = new Scope();
        for (const name of parameters) if (frame.scope.has(name)) variables.set(name, frame.scope.get(name));
        const query: LiveQuery = {
          id: uuidV4(environment.random),
          statement,
          weight: weight + weightOf(...parameters.map((name) => variables.get(name))),
          place,
          table,
          listener,
          look: (execution, table, change) => look(execution, table, change, variables),
        };
        return andThen(liveQueries.begin(unit.transaction, catalog, query), () => query.id);
      });
    });
  };
}

/** What an expression takes with what it is compiled to, in bytes. */
const EXPRESSION_WEIGHT = 256;

/** What a live query keeps: the parameters that it names, as they are when it begins, and itself, which takes many times its text. */
function keptWith(statement: Live): { readonly parameters: readonly string[]; readonly weight: number } {
  const names = new Set<string>();
  let expressions = 0;
  walk(statement, {
    expression(node) {
      expressions += node.kind === 'idiom' ? 1 + node.parts.length : 1;
      if (node.kind === 'param') names.add(node.name);
    },
  });
  return { parameters: [...names], weight: weightOf(printStatement(statement)) + EXPRESSION_WEIGHT * expressions };
}

type Look = (
  execution: Execution,
  table: TableEntry,
  change: Written,
  variables: Scope,
) => PromiseOrValue<{ readonly result: Value } | undefined>;

/** Whoever looks sees the record through the one reader, before and after; what can't be seen to have changed isn't told. */
function compileLook({ projections, where, fetch }: Live, compiler: Compiler): Look {
  const condition = where && compiler.expression(where);
  const project = projections.kind === 'diff' ? undefined : compileProjections(projections, compiler);
  const fetched = fetch && compileFetch(fetch, compiler);
  return (execution, table, { before, after }, variables) => {
    const see = (record: Written['after']) => record && execution.reader.present(execution, table, record);
    return andThen(see(before), (seenBefore) =>
      andThen(see(after), (seenAfter) => {
        const seen = after === undefined ? seenBefore : seenAfter;
        if (seen === undefined) return undefined;
        if (seenBefore !== undefined && seenAfter !== undefined && equals(seenBefore, seenAfter)) return undefined;
        const scope = new Scope(variables);
        scope.set('event', after === undefined ? 'DELETE' : before === undefined ? 'CREATE' : 'UPDATE');
        scope.set('before', seenBefore);
        scope.set('after', seenAfter);
        scope.set('value', seenAfter);
        const frame = new Frame(execution, scope, seen);
        return andThen(condition === undefined ? true : condition(frame), (verdict) => {
          if (!isTruthy(verdict)) return undefined;
          const result = project === undefined ? diff(seenBefore, seenAfter) : project(frame);
          return andThen(result, (value) =>
            fetched === undefined
              ? { result: value }
              : andThen(fetched(frame, [value]), ([whole]) => ({ result: whole })),
          );
        });
      }),
    );
  };
}
