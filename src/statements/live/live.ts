/** LIVE SELECT: registers a live query, and compiles its notification of each change. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { coveredFrom } from '../../catalog/changefeed/coverage.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import { failure } from '../../errors/error.js';
import { uuidV4 } from '../../functions/identifiers.js';
import type { Live, LiveResult } from '../../language/ast.js';
import { printStatement } from '../../language/print.js';
import { walk } from '../../language/visitor.js';
import { bindLive } from '../../plan/bind-change.js';
import { ALL_FIELDS, fieldsWatched } from '../../plan/fields-read.js';
import { asksForScores, withMatchCalls } from '../../plan/match-calls.js';
import type { RecordReading } from '../../query/operators/operator.js';
import { OperatorCompiler } from '../../query/operators/operators.js';
import { selectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Execution, LiveQuery } from '../../runtime/execution.js';
import { type Compiler, type Evaluate, Frame } from '../../runtime/frame.js';
import type { PresentedChange } from '../../runtime/live-changes.js';
import type { WrittenRecord } from '../../runtime/record-access.js';
import { Scope } from '../../runtime/scope.js';
import type { Transaction, Versionstamp } from '../../storage/contract.js';
import { LAST_POSITION, positionAfter } from '../../storage/transaction/append.js';
import { equals } from '../../value/order.js';
import { toErrorText } from '../../value/text/text.js';
import { Datetime, int, Table, type Value } from '../../value/value.js';
import { weightOf } from '../../value/weight.js';
import { presentOnce, sharedText } from './shared-presentation.js';
import { stampAt } from './show-changes.js';
import { keyOfReader, watchedValue } from './watched-value.js';

/** @throws TesseraError `misplaced_function` if it asks for scores, which compare a record with all others */
export function compileLive(written: Live, compiler: Compiler): Evaluate {
  const statement = withMatchCalls(written);
  if (asksForScores(statement)) {
    const reason = 'a live query looks at one record at a time';
    throw failure('misplaced_function', { name: 'search::score', reason });
  }
  const { from, since } = statement;
  const evaluate: Evaluate = from.kind === 'table' ? () => new Table(from.name) : compiler.expression(from);
  const evaluateSince = since && compiler.expression(since);
  const present = compilePresentation(statement, compiler);
  const { parameters, weight } = keptWith(statement);
  const text = sharedText(written);
  return (frame) => {
    const {
      services: { liveQueries, environment },
      request: { listener },
      context,
      writable,
    } = frame.execution;
    const databasePath = selectedDatabase(frame.execution);
    if (listener === undefined) throw failure('realtime_unavailable');
    if (!writable) throw failure('read_only');
    return andThen(evaluate(frame), (target) => {
      if (!(target instanceof Table))
        throw failure('invalid_target', { statement: 'LIVE', value: toErrorText(target) });
      return andThen(context.catalog(), (catalog) => {
        if (catalog === undefined) throw failure('database_missing', { name: databasePath.database });
        const table = catalog.tables.get(target.name);
        if (table === undefined) throw failure('table_missing', { name: target.name });
        const variables = new Scope();
        const reader = keyOfReader(frame.execution.identity);
        for (const name of parameters) if (frame.scope.has(name)) variables.set(name, frame.scope.get(name));
        const begin = (since?: LiveQuery['since']) => {
          const query: LiveQuery = {
            kind: 'changes',
            id: uuidV4(environment.random),
            statement,
            weight: weight + weightOf(...parameters.map((name) => variables.get(name))),
            databasePath,
            table,
            listener,
            since,
            watched: watchedValue(statement, variables, reader),
            reader: statement.since === undefined ? reader : undefined,
            present: (execution, table, change, versionstamp) => {
              const alone = () => present(execution, table, change, versionstamp, variables);
              return text === undefined ? alone() : presentOnce(text, execution, table, change, alone);
            },
          };
          return andThen(liveQueries.begin(context, catalog, query), () => query.id);
        };
        if (evaluateSince === undefined) return begin();
        return andThen(evaluateSince(frame), (value) => {
          const stamp = readSince(value);
          return andThen(checkFeed(context.transaction, catalog, table, stamp), () => begin({ stamp }));
        });
      });
    });
  };
}

/** Versionstamps have no more digits. */
const DIGITS = /^\d{1,19}$/;

/**
 * The versionstamp after which to begin. A number is one, and so is a text of digits, since not every JSON parser can
 * read large numbers; a datetime means the last one before its millisecond. NONE is now.
 * @throws TesseraError `invalid_target`
 */
export function readSince(since: Value): Versionstamp | undefined {
  if (since === undefined) return undefined;
  if (since instanceof Datetime) {
    const first = stampAt(since);
    return first === 0n ? first : first - 1n;
  }
  if (typeof since === 'bigint' || (typeof since === 'number' && Number.isInteger(since))) {
    if (since >= 0) return BigInt(since);
  } else if (typeof since === 'string' && DIGITS.test(since)) return BigInt(since);
  throw failure('invalid_target', { statement: 'LIVE', value: toErrorText(since) });
}

/** @throws TesseraError `changefeed_required`, `changefeed_too_short` */
function checkFeed(
  transaction: Transaction,
  catalog: DatabaseCatalog,
  table: TableEntry,
  stamp: Versionstamp | undefined,
): PromiseOrValue<unknown> {
  const position = stamp === undefined ? LAST_POSITION : positionAfter(stamp);
  return coveredFrom(transaction, catalog, table, position, stamp === 0n);
}

/** Memory of an expression with its compiled form, in bytes. */
const EXPRESSION_WEIGHT = 256;

/**
 * The memory of a live query: the parameters that it names, with their values when it begins, and itself, which takes
 * many times its text.
 */
export function keptWith(statement: Live | LiveResult): {
  readonly parameters: readonly string[];
  readonly weight: number;
} {
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

type PresentChange = (
  execution: Execution,
  table: TableEntry,
  change: WrittenRecord,
  versionstamp: Versionstamp | undefined,
  variables: Scope,
) => PromiseOrValue<PresentedChange | undefined>;

/**
 * Presents the record to the subscriber, as it was before the change and after it. A change that isn't visible sends
 * nothing.
 */
function compilePresentation(statement: Live, compiler: Compiler): PresentChange {
  const { input } = bindLive(statement, compiler.tuning.rules);
  const rowsOf = new OperatorCompiler(compiler, PRESENTED).list(input);
  const fields = fieldsWatched(statement);
  const { since } = statement;
  return (execution, table, { before, after }, versionstamp, variables) => {
    const present = (record: WrittenRecord['after']) =>
      record && execution.services.reader.present(execution, table, record, 'select', fields);
    return andThen(present(before), (visibleBefore) =>
      andThen(present(after), (visibleAfter) => {
        const visible = after === undefined ? visibleBefore : visibleAfter;
        if (visible === undefined) return undefined;
        if (visibleBefore !== undefined && visibleAfter !== undefined && equals(visibleBefore, visibleAfter))
          return undefined;
        const scope = new Scope(variables);
        scope.set('event', after === undefined ? 'DELETE' : before === undefined ? 'CREATE' : 'UPDATE');
        scope.set('before', visibleBefore);
        scope.set('after', visibleAfter);
        scope.set('value', visibleAfter);
        if (since !== undefined) scope.set('versionstamp', versionstamp === undefined ? undefined : int(versionstamp));
        const rows = rowsOf(new Frame(execution, scope), { targets: [{ kind: 'value', value: visible }] });
        return andThen(rows, (all) => (all.length === 0 ? undefined : { result: all[0] }));
      }),
    );
  };
}

/** Changes are presented one by one, and name no tables. */
const PRESENTED: RecordReading = {
  purpose: 'select',
  fields: ALL_FIELDS,
  writes: false,
  access: (_, { definition }) => ({ kind: 'table-scan', table: definition.name }),
};
