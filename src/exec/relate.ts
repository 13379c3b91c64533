/** RELATE: makes edges, one for each pair of the records on both sides. */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import { failure } from '../errors/error.js';
import { randomKey } from '../functions/identifiers.js';
import type { Relate } from '../language/ast.js';
import { innerElements } from '../value/elements.js';
import { withField } from '../value/paths.js';
import { toText } from '../value/text/text.js';
import { isObject, type ObjectValue, RecordId, Table, type Value } from '../value/value.js';
import { recordIdIn } from './create.js';
import { compileData } from './data.js';
import { ensureTable } from './ensure-table.js';
import type { Compiler, Draft, Evaluate, Execution, Frame, WriteOptions, Written } from './execution.js';
import { answerWritten, compileOutput } from './output.js';
import { compileTimeout } from './timeout.js';

export function compileRelate(relate: Relate, compiler: Compiler): Evaluate {
  const from = compiler.expression(relate.from);
  const to = compiler.expression(relate.to);
  const edge: Evaluate =
    relate.edge.kind === 'table' ? fixed(new Table(relate.edge.name)) : compiler.expression(relate.edge);
  const data = compileData(relate.data, compiler);
  const output = compileOutput(relate.output, 'after', compiler);

  const run = (frame: Frame): PromiseOrValue<Value> =>
    andThen(from(frame), (starts) =>
      andThen(to(frame), (ends) =>
        andThen(edge(frame), (named) => {
          const pairs = endsOf(starts).flatMap((start) => endsOf(ends).map((end) => ({ start, end })));
          const draft = data.draft(frame.within(undefined));
          const written = mapInOrder(pairs, ({ start, end }) =>
            writeEdge(frame.execution, named, start, end, draft, data.options),
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

/**
 * Writes the edge `start → end` into the table, or as the record, that `named` is. An edge that is there already is changed, by those
 * who may change it.
 */
export function writeEdge(
  execution: Execution,
  named: Value,
  start: RecordId,
  end: RecordId,
  draft: Draft,
  options: WriteOptions,
): PromiseOrValue<Written | undefined> {
  if (!(named instanceof Table) && !(named instanceof RecordId)) {
    throw failure('invalid_target', { statement: 'RELATE', value: toText(named) });
  }
  const table = named instanceof Table ? named.name : named.table;
  return andThen(ensureEnds(execution, table, start, end), (exists) => {
    if (!exists) return undefined;
    const withEnds: Draft = (before) =>
      andThen(draft(before), (record) => withField(withField(record, 'in', start), 'out', end) as ObjectValue);
    if (named instanceof RecordId) {
      return andThen(execution.writer.exists(execution, named), (there) =>
        there
          ? execution.writer.update(execution, named, withEnds, options)
          : execution.writer.create(execution, named, withEnds, { ...options, edge: true }),
      );
    }
    return andThen(withEnds(undefined), (record) => {
      const id = recordIdIn(record['id'], table) ?? new RecordId(table, randomKey(execution.environment.random));
      return execution.writer.create(execution, id, () => record, { ...options, edge: true });
    });
  });
}

/** The tables of an edge and of both its ends must be known, since an edge is found by way of theirs; ENFORCED asks for the records, too. */
function ensureEnds(execution: Execution, edge: string, start: RecordId, end: RecordId): PromiseOrValue<boolean> {
  return andThen(ensureTable(execution, edge), (exists) => {
    if (!exists) return false;
    const ends = forEachInOrder([start, end], (id) => andThen(ensureTable(execution, id.table), () => undefined));
    return andThen(ends, () =>
      andThen(execution.unit.catalog(), (catalog) => {
        const kind = catalog?.tables.get(edge)?.definition.tableKind;
        if (kind?.kind !== 'relation' || !kind.enforced) return true;
        const present = forEachInOrder([start, end], (id) =>
          andThen(execution.writer.exists(execution, id), (there) => {
            if (!there) throw failure('record_missing', { id: toText(id) });
            return undefined;
          }),
        );
        return andThen(present, () => true);
      }),
    );
  });
}

/** The records at one end: record ids, or records, alone or in arrays. */
function endsOf(value: Value): RecordId[] {
  return innerElements(value).map(endOf);
}

function endOf(value: Value): RecordId {
  const id = isObject(value) ? value['id'] : value;
  if (id instanceof RecordId) return id;
  throw failure('invalid_edge_end', { property: 'id', value: toText(id) });
}
