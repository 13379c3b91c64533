/**
 * Graph steps: `->knows->person`, `<-(wrote WHERE …)`, `<->e[WHERE …]`, `->(SELECT … FROM e)`, `<~comment`.
 *
 * Steps that follow each other are walked as one chain and give one flat list of ids. What the principal may not see isn't walked over.
 */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { GraphStep, GraphSubject, Part, Select } from '../../language/ast.js';
import { contains, looselyEquals, rangeContains } from '../../value/membership.js';
import { isTruthy } from '../../value/truthiness.js';
import {
  type ArrayValue,
  isArray,
  isObject,
  type ObjectValue,
  Range,
  RecordId,
  SetValue,
  type Value,
} from '../../value/value.js';
import { type Compiler, type Evaluate, Frame, Scope } from '../execution.js';
import { frameAt } from './document-frame.js';
import { compileFilter } from './index-step.js';
import type { InlineCompiler } from './inline-compiler.js';
import { compileRecordKey } from './record-id.js';
import { END, fetchRecord, type Step } from './step.js';

type WherePart = Extract<Part, { kind: 'where' }>;

/** A part that belongs to a chain: a graph step, or a filter behind one. */
export type ChainPart = GraphStep | WherePart;

/** Where a chain stands: at a record of which perhaps only the id is known. */
interface Node {
  readonly id: RecordId;
  readonly record: ObjectValue | undefined;
  /** Whether the record is known to lie between two others. */
  readonly isEdge: boolean;
}

/** One link of a chain: what it finds from a list of places. Subqueries find rows, everything else finds ids. */
type Link = (nodes: ArrayValue, frame: Frame, edges: boolean) => PromiseOrValue<ArrayValue>;

export function chainStep(chain: readonly ChainPart[], next: Step, compiler: InlineCompiler): Step {
  const links = chain.map((part): Link => {
    if (part.kind === 'graph') return compileGraphStep(part, compiler);
    const filter = compileFilter(part.condition, compiler);
    return (nodes, frame) => filter(nodes, frame) as PromiseOrValue<ArrayValue>;
  });
  const isAlone = chain.length === 1 && next === END;
  const walk = (start: Value, frame: Frame): PromiseOrValue<ArrayValue> => {
    let found: PromiseOrValue<ArrayValue> = [start];
    links.forEach((link, index) => {
      // Whatever the first step finds may be an edge; the step after it leads from the edge to its end.
      found = andThen(found, (nodes) => link(nodes, frame, index > 0));
    });
    return found;
  };
  const step: Step = (value, frame) => {
    const items = value instanceof SetValue ? value.items : value;
    if (isArray(items)) {
      const all = mapInOrder(items, (item) => step(item, frame));
      // A single step from a list gives one list; a longer path is followed from each element.
      return isAlone ? andThen(all, (lists) => lists.flat(1) as Value[]) : all;
    }
    if (!(items instanceof RecordId) && !isObject(items)) return next(undefined, frame);
    return andThen(walk(items, frame), (found) => next(found, frame));
  };
  return step;
}

interface CompiledSubject {
  readonly table: string;
  readonly field: string | undefined;
  readonly range: ((frame: Frame) => PromiseOrValue<Value>) | undefined;
}

function compileGraphStep(step: GraphStep, compiler: InlineCompiler): Link {
  const subjects = step.subjects.map((subject) => compileSubject(subject, compiler));
  const { direction } = step;
  const tables = subjects.map(({ table }) => table);
  const follow = { direction, tables };
  const refine = compileClauses(step, compiler);
  return (nodes, frame, mayBeEdges) => {
    const { execution } = frame;
    const from = (node: Node): PromiseOrValue<Value[]> =>
      andThen(execution.interrupt.checkpoint(), () =>
        andThen(execution.reader.edges(execution, node.id, follow), (edges) =>
          andThen(direction === 'reference' ? [] : endsOf(node, step, frame, edges.length === 0), (ends) =>
            ends.length === 0 ? edges : [...ends, ...edges],
          ),
        ),
      );
    const found = mapInOrder(nodes, (value) => {
      const node = nodeOf(value, mayBeEdges);
      if (node === undefined) return [];
      return andThen(from(node), (ids) => ofSubjects(ids as RecordId[], subjects, node.id, frame));
    });
    return andThen(found, (groups) => {
      const ids = groups.length === 1 ? (groups[0] as RecordId[]) : (groups.flat(1) as RecordId[]);
      return refine(ids, frame);
    });
  };
}

function compileSubject({ table, field, range }: GraphSubject, compiler: Compiler): CompiledSubject {
  return { table, field, range: range && compileRecordKey(range, compiler) };
}

/** Links and rows are places of a graph; an object with both ends is an edge. */
function nodeOf(value: Value, mayBeEdge: boolean): Node | undefined {
  if (value instanceof RecordId) {
    return value.key instanceof Range ? undefined : { id: value, record: undefined, isEdge: mayBeEdge };
  }
  if (!isObject(value)) return undefined;
  const { id } = value;
  return id instanceof RecordId ? { id, record: value, isEdge: isEdge(value) } : undefined;
}

function isEdge(record: ObjectValue): boolean {
  return record['in'] instanceof RecordId && record['out'] instanceof RecordId;
}

const END_FIELDS = { out: ['out'], in: ['in'], both: ['in', 'out'], reference: [] } as const;

/** The ends of an edge that lie in the direction of a step. Of a record that has edges of its own it isn't asked whether it is one. */
function endsOf(node: Node, step: GraphStep, frame: Frame, hasNoEdges: boolean): PromiseOrValue<RecordId[]> {
  if (node.record === undefined && !node.isEdge && !hasNoEdges) return [];
  return andThen(node.record ?? fetchRecord(node.id, frame), (record) => {
    if (record === undefined || !isEdge(record)) return [];
    const ends = END_FIELDS[step.direction].map((name) => record[name] as RecordId);
    return step.subjects.length === 0
      ? ends
      : ends.filter((end) => step.subjects.some(({ table }) => table === end.table));
  });
}

/** Keeps what the subjects of a step name and the principal may see. */
function ofSubjects(
  ids: readonly RecordId[],
  subjects: readonly CompiledSubject[],
  origin: RecordId,
  frame: Frame,
): PromiseOrValue<readonly RecordId[]> {
  const { checks } = frame.execution;
  const isPlain = subjects.every(({ range, field }) => range === undefined && field === undefined);
  if (isPlain && !checks.view) return ids;
  const ranges = mapInOrder(subjects, (subject) => subject.range?.(frame));
  return andThen(ranges, (bounds) => {
    const verdicts = mapInOrder(ids, (id) => {
      const named = subjects
        .map((subject, index) => ({ ...subject, bound: bounds[index] }))
        .filter(
          ({ table, bound }) =>
            table === id.table && (!(bound instanceof Range) || rangeContains(bound, id.key as Value)),
        );
      if (subjects.length > 0 && named.length === 0) return false;
      const fields = named.map(({ field }) => field);
      if (!checks.view && (subjects.length === 0 || fields.includes(undefined))) return true;
      return andThen(
        fetchRecord(id, frame),
        (record) =>
          record !== undefined &&
          (subjects.length === 0 || fields.some((field) => field === undefined || holds(record[field], origin))),
      );
    });
    return andThen(verdicts, (kept) => ids.filter((_, index) => kept[index]));
  });
}

function holds(value: Value, id: RecordId): boolean {
  return looselyEquals(value, id) || contains(value, id);
}

/** The ids found by a step, as a param that no text can write. */
const FOUND = '\0found';

/** The clauses in the parentheses of a step. All but a mere WHERE are those of a SELECT from what was found. */
function compileClauses(
  step: GraphStep,
  compiler: InlineCompiler,
): (ids: readonly RecordId[], frame: Frame) => PromiseOrValue<ArrayValue> {
  const { projections, where, split, group, order, limit, start } = step;
  if (!projections && !split && !group && !order && !limit && !start) {
    if (where === undefined) return (ids) => ids;
    const condition = compiler.outer.expression(where);
    return (ids, frame) => filterRecords(ids, condition, frame);
  }
  const select: Select = {
    kind: 'select',
    projections: projections ?? {
      kind: 'value',
      expression: { kind: 'idiom', parts: [{ kind: 'field', name: 'id' }] },
    },
    only: false,
    from: [{ kind: 'param', name: FOUND }],
    ...(where && { where }),
    ...(split && { split }),
    ...(group && { group }),
    ...(order && { order }),
    ...(limit && { limit }),
    ...(start && { start }),
  };
  const run = compiler.outer.statement(select);
  return (ids, frame) => {
    const scope = new Scope(frame.scope);
    scope.set(FOUND, ids);
    const rows = run(new Frame(frame.execution, scope, frame.current, frame.parent));
    return andThen(rows, (value) => (isArray(value) ? value : [value]));
  };
}

function filterRecords(ids: readonly RecordId[], condition: Evaluate, frame: Frame): PromiseOrValue<RecordId[]> {
  const verdicts = mapInOrder(ids, (id) =>
    andThen(fetchRecord(id, frame), (record) =>
      record === undefined ? false : andThen(condition(frameAt(frame, record)), isTruthy),
    ),
  );
  return andThen(verdicts, (kept) => ids.filter((_, index) => kept[index]));
}
