/** RELATE: makes edges, one for each pair of the records on both sides. */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import { ensureTable } from '../../ddl/define/ensure-table.js';
import { failure } from '../../errors/error.js';
import type { Relate } from '../../language/ast.js';
import { EDGE_FIELDS, unionOfReads } from '../../plan/fields-read.js';
import { compileTimeout } from '../../query/statement/timeout.js';
import { mapPrefetched, type RecordReads } from '../../records/prefetch.js';
import { recordExists } from '../../runtime/authorization/denied-writes.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import type { Draft, WriteOptions, WrittenRecord } from '../../runtime/record-access.js';
import { equals } from '../../value/order.js';
import { withField } from '../../value/paths.js';
import { toErrorText, toText } from '../../value/text/text.js';
import { isArray, isObject, type ObjectValue, Range, RecordId, Table, type Value } from '../../value/value.js';
import { randomId, recordIdIn } from './create.js';
import { compileData } from './data.js';
import { answerWritten, compileOutput } from './output.js';

export function compileRelate(relate: Relate, compiler: Compiler): Evaluate {
  const from = compiler.expression(relate.from);
  const to = compiler.expression(relate.to);
  const edge: Evaluate =
    relate.edge.kind === 'table' ? fixed(new Table(relate.edge.name)) : compiler.expression(relate.edge);
  const data = compileData(relate.data, compiler);
  const reads = unionOfReads([EDGE_FIELDS, data.reads]);
  const output = compileOutput(relate.output, 'after', compiler);

  const run = (frame: Frame): PromiseOrValue<Value> =>
    andThen(from(frame), (starts) =>
      andThen(to(frame), (ends) =>
        andThen(edge(frame), (named) => {
          const pairs = endsOf(starts, 'in').flatMap((start) => endsOf(ends, 'id').map((end) => ({ start, end })));
          const draft = (seen: ObjectValue | undefined) => data.draft(frame.within(seen));
          const drawn: RecordId[] = [];
          const readsOf = (batch: readonly EdgeEnds[], catalog: DatabaseCatalog): RecordReads => {
            if (named instanceof Table) for (const _ of batch) drawn.push(randomId(frame.execution, named.name));
            const edges = isRecord(named) ? [named] : drawn.slice(-batch.length);
            const isAsked = edges[0] !== undefined && isEnforced(catalog, edges[0].table);
            return { records: isAsked ? [...edges, ...batch.flatMap(({ start, end }) => [start, end])] : edges };
          };
          const written = mapPrefetched(frame.execution, pairs, readsOf, (ends, at) =>
            writeEdge(frame.execution, named, ends, draft, data.options, reads, drawn[at]),
          );
          return andThen(written, (all) => answerWritten(frame, all, output, relate.only));
        }),
      ),
    );
  return compileTimeout(relate.timeout, compiler, run);
}

function fixed(value: Value): Evaluate {
  return () => value;
}

export interface EdgeEnds {
  readonly start: RecordId;
  readonly end: RecordId;
}

/**
 * Writes an edge into the table, or as the record, that `named` is. An edge that is there already is changed, by those
 * who may change it, but for its ends. `draftFor` makes the draft from what the principal sees of it, `reads` of its
 * fields. `drawn` is the id of a new one.
 * @throws TesseraError `edge_end_mismatch`
 */
export function writeEdge(
  execution: Execution,
  named: Value,
  ends: EdgeEnds,
  draftFor: (seen: ObjectValue | undefined) => Draft,
  options: WriteOptions,
  reads = EDGE_FIELDS,
  drawn?: RecordId,
): PromiseOrValue<WrittenRecord | undefined> {
  if (!(named instanceof Table) && !isRecord(named)) {
    throw failure('invalid_edge_end', { property: 'out', value: toErrorText(named) });
  }
  const table = named instanceof Table ? named.name : named.table;
  return andThen(ensureEnds(execution, table, ends), (exists) => {
    if (!exists) return undefined;
    const withEnds =
      (draft: Draft): Draft =>
      (before, seen) =>
        andThen(draft(before, seen), (record) => withField(withField(record, 'in', ends.start), 'out', ends.end));
    const create = (id: RecordId, draft: Draft) =>
      execution.services.writer.create(execution, id, withEnds(draft), { ...options, edge: true });
    const write = (id: RecordId, draft: typeof draftFor) =>
      andThen(recordExists(execution, id), (there) => {
        if (!there) return create(id, endingAt(ends, draft(undefined)));
        return andThen(execution.services.reader.read(execution, id, 'update', reads), (seen) => {
          if (seen === undefined) return undefined;
          assertEnds(execution, seen, ends);
          return execution.services.writer.update(execution, id, withEnds(draft(seen)), options, seen);
        });
      });
    if (named instanceof RecordId) return write(named, draftFor);
    return andThen(draftFor(undefined)(undefined), (record) => {
      const id = recordIdIn(record, table);
      if (id === undefined) return create(drawn ?? randomId(execution, table), () => record);
      return write(id, () => () => withField(record, 'id', id));
    });
  });
}

/** The data of an edge that is named must not lead it elsewhere. */
function endingAt({ start, end }: EdgeEnds, draft: Draft): Draft {
  return (before, seen) =>
    andThen(draft(before, seen), (record) => {
      for (const [given, named] of [
        [record['in'], start],
        [record['out'], end],
      ] as const) {
        if (given !== undefined && !equals(given, named)) throw failure('id_mismatch', { id: toText(given) });
      }
      return record;
    });
}

/** The ends of an edge stay; no error reveals hidden ones. */
function assertEnds(execution: Execution, seen: ObjectValue, { start, end }: EdgeEnds): void {
  for (const [name, wanted] of [
    ['in', start],
    ['out', end],
  ] as const) {
    const found = seen[name];
    if (found === undefined && execution.checks.view) continue;
    if (!equals(found, wanted)) throw failure('edge_end_mismatch', { end: name, value: toErrorText(found) });
  }
}

/** The table of an edge is created by the first write; ENFORCED requires that the ends exist. */
function ensureEnds(execution: Execution, edge: string, { start, end }: EdgeEnds): PromiseOrValue<boolean> {
  return andThen(ensureTable(execution, edge), (exists) => {
    if (!exists) return false;
    return andThen(execution.context.catalog(), (catalog) => {
      // The ends of an imported edge may be imported later.
      if (!isEnforced(catalog, edge) || execution.importing) return true;
      const present = forEachInOrder([start, end], (id) =>
        andThen(execution.services.writer.exists(execution, id), (there) => {
          if (!there) throw failure('record_missing', { id: toText(id) });
          return undefined;
        }),
      );
      return andThen(present, () => true);
    });
  });
}

/** Whether the ends of a table's edges have to be there. */
export function isEnforced(catalog: DatabaseCatalog | undefined, edge: string): boolean {
  const kind = catalog?.tables.get(edge)?.definition.tableKind;
  return kind?.kind === 'relation' && kind.enforced;
}

/** One record, rather than a range of them. */
function isRecord(value: Value): value is RecordId {
  return value instanceof RecordId && !(value.key instanceof Range);
}

/**
 * The records at one end: record ids, or records, alone or in an array. Errors call the ends `in` and `id`, as the
 * peer's do.
 */
function endsOf(value: Value, property: 'in' | 'id'): RecordId[] {
  return (isArray(value) ? value : [value]).map((each) => {
    const id = isObject(each) ? each['id'] : each;
    if (isRecord(id)) return id;
    throw failure('invalid_edge_end', { property, value: toErrorText(each) });
  });
}
