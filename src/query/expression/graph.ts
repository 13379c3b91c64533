/**
 * Graph steps: `->knows->person`, `<-(wrote WHERE …)`, `<->e[WHERE …]`, `->(SELECT … FROM e)`, `<~comment`.
 *
 * Consecutive steps are walked as one chain and return one flat list of ids. Records that the principal may not see
 * are skipped.
 */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { CALL } from '../../base/work/work.js';
import { failure } from '../../errors/error.js';
import type { GraphStep, GraphSubject, Part, Select } from '../../language/ast.js';
import { EDGE_FIELDS, type FieldsRead, fieldsRead, NO_FIELDS, readOfField } from '../../plan/fields-read.js';
import { referredBy } from '../../records/references.js';
import { mapReads } from '../../runtime/concurrent-reads.js';
import { type Compiler, type Evaluate, Frame } from '../../runtime/frame.js';
import type { EdgeStep, Hop, Referent, Referrer } from '../../runtime/links.js';
import { Scope } from '../../runtime/scope.js';
import { flattenDeep } from '../../value/flatten.js';
import { rangeContains } from '../../value/membership.js';
import { equals } from '../../value/order.js';
import { isTruthy } from '../../value/truthiness.js';
import {
  type ArrayValue,
  FileReference,
  isArray,
  isObject,
  type ObjectValue,
  Range,
  RecordId,
  type Value,
} from '../../value/value.js';
import { frameAtEdge } from './document-frame.js';
import { compileElementFilter } from './index-step.js';
import type { InlineCompiler } from './inline-compiler.js';
import { compileRecordKey } from './record-id.js';
import { fetchRecord, isPlainLink, joined, mapStep, NO_PATH, type Path, type Step } from './step.js';

type WherePart = Extract<Part, { kind: 'where' }>;

/** A part that belongs to a chain: a graph step, or a filter behind one. */
export type ChainPart = GraphStep | WherePart;

/** A place of a chain: a record, of which perhaps only the id is known. */
interface Node {
  readonly id: RecordId;
  readonly record: ObjectValue | undefined;
  /** The record was read; if it is absent, it is missing or hidden. */
  readonly isRead?: boolean;
  /** Whether the record is known to lie between two others. */
  readonly isEdge: boolean;
}

/** Where a step begins. References to files can be followed back as well; edges don't lead to files. */
type Place = Node | FileReference;

/** The result of a step: ids, or the rows of a subquery. */
interface Found {
  readonly nodes: ArrayValue;
  /** Whether there are edges among them, of which the next step finds the ends. */
  readonly edges: boolean;
}

type Link = (from: Found, frame: Frame) => PromiseOrValue<Found>;

/** Follows `->edge->table …` from a record or a list of records, as one walk with `rest` applied to what it reaches. */
export function chainStep(chain: readonly ChainPart[], rest: Path, compiler: InlineCompiler): Path {
  const links = linksOf(chain, compiler);
  const walk = (start: Value, frame: Frame): PromiseOrValue<Value> => {
    let found: PromiseOrValue<Found> = { nodes: [start], edges: false };
    for (const link of links) found = andThen(found, (from) => link(from, frame));
    return andThen(found, (reached) => reached.nodes);
  };
  const [first] = chain;
  const mayBeFile = first?.kind === 'graph' && first.direction === 'reference';
  const from: Step = (value, frame) => {
    const isPlace = value instanceof RecordId || isObject(value) || (mayBeFile && value instanceof FileReference);
    return isPlace ? walk(value, frame) : undefined;
  };
  const apply: Step = (value, frame) => {
    if (!isArray(value)) return from(value, frame);
    return andThen(mapStep(flattenDeep(value), frame, from), (lists) => lists.flat(1) as Value[]);
  };
  // A single step from a list gives one list; a longer path is followed from each element.
  return joined({ apply, element: apply }, rest, chain.length > 1 || rest !== NO_PATH);
}

function linksOf(chain: readonly ChainPart[], compiler: InlineCompiler): Link[] {
  const links = chain.map((part) =>
    part.kind === 'graph' ? compileGraphStep(part, compiler) : compileWhere(part, compiler),
  );
  const joinedLinks: Link[] = [];
  for (let at = 0; at < links.length; at++) {
    const [link, next] = [links[at] as Link, links[at + 1]];
    const hop = hopOf(chain[at], chain[at + 1]);
    if (hop === undefined || next === undefined) joinedLinks.push(link);
    else {
      joinedLinks.push(overEdges(hop, link, next));
      at++;
    }
  }
  return joinedLinks;
}

/** Two steps over edges to the records behind, `->knows->person`: then the edges needn't be read. */
function hopOf(first: ChainPart | undefined, second: ChainPart | undefined): Hop | undefined {
  if (first?.kind !== 'graph' || second?.kind !== 'graph' || first.direction !== second.direction) return undefined;
  const { direction } = first;
  const edge = tableAlone(first);
  const ends = tableAlone(second);
  if (edge === undefined || ends === undefined || direction === 'both' || direction === 'reference') return undefined;
  return { direction, edge, ends };
}

/** The table that a step names, if it names one without conditions. */
function tableAlone({ subjects, ...step }: GraphStep): string | undefined {
  const [subject] = subjects;
  if (subjects.length !== 1 || hasClauses(step) || step.where !== undefined) return undefined;
  return subject?.range === undefined ? subject?.table : undefined;
}

/**
 * Two steps as one. They are taken one after the other from an edge, or if the ends aren't known without reading.
 */
function overEdges(hop: Hop, first: Link, second: Link): Link {
  const bothSteps: Link = (from, frame) => andThen(first(from, frame), (edges) => second(edges, frame));
  const fromEdge = { direction: hop.direction, tables: [hop.edge] };
  return (from, frame) => {
    const { execution } = frame;
    if (from.edges || execution.checks.view) return bothSteps(from, frame);
    let edges = false;
    const lists = mapReads(execution, from.nodes, (value) => {
      const node = placeOf(value, false);
      if (node === undefined || node instanceof FileReference) return [];
      const knownEnds = node.isEdge
        ? undefined
        : andThen(execution.interrupt.checkpoint(CALL), () => execution.services.reader.ends(execution, node.id, hop));
      return andThen(knownEnds, (ends): PromiseOrValue<ArrayValue> => {
        if (ends !== undefined && ends.length > 0) return ends;
        const reached =
          ends === undefined
            ? bothSteps({ nodes: [value], edges: false }, frame)
            : andThen(endsOf(node, fromEdge, frame), (nodes) => second({ nodes, edges: false }, frame));
        return andThen(reached, (found) => {
          edges ||= found.edges;
          return found.nodes;
        });
      });
    });
    return andThen(lists, (all) => ({ nodes: all.length === 1 ? (all[0] as ArrayValue) : all.flat(1), edges }));
  };
}

function compileWhere({ condition }: WherePart, compiler: InlineCompiler): Link {
  const filter = compileElementFilter(condition, compiler, frameAtEdge);
  return ({ nodes, edges }, frame) => andThen(filter(nodes, frame), (kept) => ({ nodes: kept as ArrayValue, edges }));
}

interface CompiledSubject {
  readonly table: string;
  readonly range: ((frame: Frame) => PromiseOrValue<Value>) | undefined;
}

function compileGraphStep(step: GraphStep, compiler: InlineCompiler): Link {
  const { direction } = step;
  const follow =
    direction === 'reference' ? alongReferences(step, compiler) : alongEdges(step.subjects, direction, compiler);
  const refine = compileClauses(step, compiler);
  return (from, frame) => {
    let edges = false;
    const groups = andThen(nodesOf(from, frame), (nodes) =>
      mapReads(frame.execution, nodes, (node) => {
        if (node === undefined) return [];
        const reached = andThen(frame.execution.interrupt.checkpoint(CALL), () => follow(node, frame));
        return andThen(reached, (found) => {
          edges ||= found.edges;
          return found.ids;
        });
      }),
    );
    return andThen(groups, (lists) => {
      const ids = lists.length === 1 ? (lists[0] as readonly RecordId[]) : lists.flat(1);
      return andThen(refine(ids, frame), (nodes) => ({ nodes, edges }));
    });
  };
}

interface Neighbours {
  readonly ids: readonly RecordId[];
  readonly edges: boolean;
}

type Follow = (from: Place, frame: Frame) => PromiseOrValue<Neighbours>;

function alongReferences(step: GraphStep, compiler: InlineCompiler): Follow {
  const referrers = compileReferrers(step, compiler);
  return (from, frame) => {
    const referent = from instanceof FileReference ? from : from.id;
    return andThen(referrers(referent, frame), (ids) => ({ ids, edges: ids.length > 0 }));
  };
}

function alongEdges(
  named: readonly GraphSubject[],
  direction: EdgeStep['direction'],
  compiler: InlineCompiler,
): Follow {
  const subjects = named.map((subject) => compileSubject(subject, compiler));
  const follow = { direction, tables: subjects.map(({ table }) => table) };
  return (from, frame) => {
    if (from instanceof FileReference) return { ids: [], edges: false };
    return andThen(neighbours(from, follow, frame), ({ ids, edges }) =>
      andThen(ofSubjects(ids, subjects, frame), (kept) => ({ ids: kept, edges })),
    );
  };
}

/**
 * The records one step away: the ends of an edge, or the edges at a node. A record that is known to be an edge is asked
 * for its ends first, any other for its edges; the second question only comes where the first finds nothing, or where
 * the step names no table.
 */
function neighbours(node: Node, follow: EdgeStep, frame: Frame): PromiseOrValue<Neighbours> {
  const { execution } = frame;
  const edgesAt = () => execution.services.reader.edges(execution, node.id, follow);
  if (node.isEdge) {
    return andThen(endsOf(node, follow, frame), (ends) => {
      if (ends.length > 0 && follow.tables.length > 0) return { ids: ends, edges: false };
      return andThen(edgesAt(), (ids) => ({ ids: [...ends, ...ids], edges: ids.length > 0 }));
    });
  }
  return andThen(edgesAt(), (ids) => {
    if (ids.length > 0 || node.record !== undefined) return { ids, edges: true };
    return andThen(endsOf(node, follow, frame), (ends) => ({ ids: ends, edges: false }));
  });
}

function compileSubject({ table, range }: GraphSubject, compiler: Compiler): CompiledSubject {
  return { table, range: range && compileRecordKey(range, compiler) };
}

/** The places where a step begins. Edges are read together for their ends. */
function nodesOf({ nodes, edges }: Found, frame: Frame): PromiseOrValue<readonly (Place | undefined)[]> {
  if (!edges || nodes.length < 2 || !nodes.every(isPlainLink)) return nodes.map((value) => placeOf(value, edges));
  return andThen(frame.execution.services.reader.readMany(frame.execution, nodes, 'select', EDGE_FIELDS), (records) =>
    nodes.map((id, at) => ({ id, record: records[at], isRead: true, isEdge: true })),
  );
}

/** Links and rows are places of a graph, and files; a row with both ends is an edge. */
function placeOf(value: Value, isKnownEdge: boolean): Place | undefined {
  if (value instanceof FileReference) return value;
  if (value instanceof RecordId) {
    return value.key instanceof Range ? undefined : { id: value, record: undefined, isEdge: isKnownEdge };
  }
  if (!isObject(value)) return undefined;
  const { id } = value;
  return id instanceof RecordId ? { id, record: value, isEdge: isEdge(value) } : undefined;
}

function isEdge(record: ObjectValue): boolean {
  return record['in'] instanceof RecordId && record['out'] instanceof RecordId;
}

const END_FIELDS = { out: ['out'], in: ['in'], both: ['in', 'out'] } as const;

/** The ends of a record that lie in the direction of a step; none if it isn't an edge, or is hidden. */
function endsOf(node: Node, { direction, tables }: EdgeStep, frame: Frame): PromiseOrValue<RecordId[]> {
  const fields = END_FIELDS[direction];
  return andThen(node.record ?? (node.isRead ? undefined : fetchRecord(node.id, frame, EDGE_FIELDS)), (record) => {
    if (record === undefined || !isEdge(record)) return [];
    const ends = fields.map((name) => record[name] as RecordId);
    return tables.length === 0 ? ends : ends.filter(({ table }) => tables.includes(table));
  });
}

/** Keeps the records that the subjects of a step name and the principal may see. */
function ofSubjects(
  ids: readonly RecordId[],
  subjects: readonly CompiledSubject[],
  frame: Frame,
): PromiseOrValue<readonly RecordId[]> {
  const { checks } = frame.execution;
  const isPlain = subjects.every(({ range }) => range === undefined);
  if (isPlain && !checks.view) return ids;
  const ranges = mapInOrder(subjects, (subject) => subject.range?.(frame));
  return andThen(ranges, (bounds) => {
    const verdicts = mapReads(frame.execution, ids, (id) => {
      const isNamed = subjects.some(({ table }, index) => {
        const bound = bounds[index];
        return table === id.table && (!(bound instanceof Range) || rangeContains(bound, id.key as Value));
      });
      if (subjects.length > 0 && !isNamed) return false;
      return !checks.view || andThen(fetchRecord(id, frame, NO_FIELDS), (record) => record !== undefined);
    });
    return andThen(verdicts, (kept) => ids.filter((_, index) => kept[index]));
  });
}

/** Whether the parentheses of a step hold more than a condition. */
function hasClauses({ projections, split, group, order, limit, start }: Omit<GraphStep, 'subjects'>): boolean {
  return Boolean(projections || split || group || order || limit || start);
}

/** The ids found by a step, as a param that no text can write. */
const FOUND = '\0found';

/** The clauses in the parentheses of a step. All but a mere WHERE are those of a SELECT from the found records. */
function compileClauses(
  step: GraphStep,
  compiler: InlineCompiler,
): (ids: readonly RecordId[], frame: Frame) => PromiseOrValue<ArrayValue> {
  const { projections, where, split, group, order, limit, start } = step;
  if (!hasClauses(step)) {
    if (where === undefined) return (ids) => ids;
    const condition = compiler.outer.expression(where);
    const reads = fieldsRead([where]);
    return (ids, frame) => filterRecords(ids, condition, reads, frame);
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

function filterRecords(
  ids: readonly RecordId[],
  condition: Evaluate,
  reads: FieldsRead,
  frame: Frame,
): PromiseOrValue<RecordId[]> {
  const judge = (found: PromiseOrValue<ObjectValue | undefined>) =>
    andThen(found, (record) =>
      record === undefined ? false : andThen(condition(frameAtEdge(frame, record)), (verdict) => isTruthy(verdict)),
    );
  const { execution } = frame;
  // The effects of a condition may concern the next one.
  const verdicts =
    execution.context.answersLater && !execution.writable
      ? andThen(execution.services.reader.readMany(execution, ids, 'select', reads), (records) =>
          mapInOrder(records, judge),
        )
      : mapInOrder(ids, (id) => judge(fetchRecord(id, frame, reads)));
  return andThen(verdicts, (kept) => ids.filter((_, index) => kept[index]));
}

// References in a path: `<~comment`, `<~(comment FIELD author)`, `<~?`.

/**
 * Finds the records that refer to another or to a file, as far as the principal can see that they do.
 * @throws TesseraError `reference_range`, when it runs
 */
function compileReferrers(
  { subjects }: GraphStep,
  compiler: Compiler,
): (of: Referent, frame: Frame) => PromiseOrValue<readonly RecordId[]> {
  const groups = subjects.length === 0 ? [[]] : subjects.map((subject) => [subject]);
  const ranges = subjects.map(({ range }) => range && compileRecordKey(range, compiler));
  const isUnbound = subjects.some(({ range, field }) => range !== undefined && field === undefined);
  return (of, frame) => {
    if (isUnbound) throw failure('reference_range');
    const found = mapInOrder(groups, (group, at) =>
      andThen(ranges[at]?.(frame), (range: Value) =>
        andThen(frame.execution.services.reader.referrers(frame.execution, of, group), (referrers) =>
          visible(
            range instanceof Range ? referrers.filter((each) => rangeContains(range, each.id.key as Value)) : referrers,
            of,
            frame,
          ),
        ),
      ),
    );
    return andThen(found, (lists) => lists.flat());
  };
}

/** A record that can't be seen, or whose field can't, doesn't refer. */
function visible(referrers: readonly Referrer[], to: Referent, frame: Frame): PromiseOrValue<RecordId[]> {
  const ids = referrers.map(({ id }) => id);
  if (!frame.execution.checks.view) return ids;
  const verdicts = mapInOrder(referrers, ({ id, field }) =>
    andThen(fetchRecord(id, frame, readOfField(field)), (record) =>
      referredBy(record?.[field]).some((each) => equals(each, to)),
    ),
  );
  return andThen(verdicts, (seen) => ids.filter((_, at) => seen[at]));
}
