/**
 * The first reads of a plan, determined from the cached catalog, which is likely current, so that they are fetched
 * together with the row that confirms it.
 */
import { andThen, mapInOrder } from '../../base/promise-or-value.js';
import type { Expression } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import { paramOfId } from '../../plan/dependencies.js';
import {
  type Access,
  type Bounds,
  type Direction,
  type IndexAccess,
  type IndexScan,
  isAccess,
  type KnnScan,
  type NamedRange,
  type NamedRecord,
  type Operand,
  type RowNode,
  type Values,
} from '../../plan/nodes.js';
import { recordRange } from '../../records/record-range.js';
import type { Compiler } from '../../runtime/frame.js';
import type { Prefetch } from '../../storage/contract.js';
import { encodeRecordKey } from '../../value/codecs/key-codec.js';
import { Range, RecordId } from '../../value/value.js';
import { compileSources, compileTarget } from '../expression/targets.js';
import { compileAccess } from '../operators/sources/accesses.js';
import type { FirstReads } from './first-reads.js';

const NOTHING: Prefetch = {};
const nothing: FirstReads = () => NOTHING;

/** Compiles the keys and ranges that the sources of a plan read first, so that they are requested together. */
export function compilePlanReads(node: RowNode, compiler: Compiler): FirstReads {
  let source = node;
  while ('input' in source) source = source.input;
  if (isAccess(source)) return ofAccess(source, compiler);
  if (source.kind === 'named-record') return ofRecord(source, compiler);
  if (source.kind === 'named-range') return ofRange(source, compiler);
  if (source.kind === 'values') return ofValues(source, compiler);
  if (source.kind !== 'union') return nothing;
  const each = source.inputs.map((input) => compilePlanReads(input, compiler));
  return (frame, catalog) =>
    andThen(
      mapInOrder(each, (reads) => reads(frame, catalog)),
      (all) => ({
        keys: all.flatMap(({ keys = [] }) => keys),
        ranges: all.flatMap(({ ranges = [] }) => ranges),
      }),
    );
}

function ofRecord({ id }: NamedRecord, compiler: Compiler): FirstReads {
  if (!isKnown(id)) return nothing;
  const named = compileTarget(id, compiler);
  return (frame, catalog) =>
    andThen(named(frame), (value) => {
      if (!(value instanceof RecordId) || value.key instanceof Range) return NOTHING;
      const table = catalog.tables.get(value.table);
      return table === undefined ? NOTHING : { keys: [table.keys.record(encodeRecordKey(value))] };
    });
}

function ofRange({ range }: NamedRange, compiler: Compiler): FirstReads {
  if (!isKnown(range)) return nothing;
  const named = compileTarget(range, compiler);
  return (frame, catalog) =>
    andThen(named(frame), (value) => {
      const table = value instanceof RecordId ? catalog.tables.get(value.table) : undefined;
      return table === undefined ? NOTHING : { ranges: [recordRange(table, value as RecordId)] };
    });
}

/** A list that is written out, or a param, may name records; a range of ids (`t:1..5`) names those of a table. */
function ofValues({ expression }: Values, compiler: Compiler): FirstReads {
  if (!isKnown(expression)) return nothing;
  const targets = compileSources([expression], compiler);
  return (frame, catalog) =>
    andThen(targets(frame), (found) => ({
      keys: found.slice(0, MAX_KEYS).flatMap((target) => {
        const table = target.kind === 'record' ? catalog.tables.get(target.id.table) : undefined;
        return target.kind !== 'record' || table === undefined ? [] : [table.keys.record(encodeRecordKey(target.id))];
      }),
      ranges: found.flatMap((target) => {
        const table = target.kind === 'range' ? catalog.tables.get(target.id.table) : undefined;
        return target.kind !== 'range' || table === undefined ? [] : [recordRange(table, target.id)];
      }),
    }));
}

/** Records of a list that are prefetched. */
const MAX_KEYS = 1_024;

function ofAccess(access: Access, compiler: Compiler): FirstReads {
  // Its next reads depend on the first.
  if (access.kind === 'knn-scan' || isFullText(access)) return nothing;
  const likely = guessed(access);
  if (!operandsOf(likely).every(({ value }) => isKnown(value))) return nothing;
  const { undirected, direction } = withoutDirection(likely);
  const narrow = compileAccess(undirected, compiler);
  const reverse = direction === 'backward';
  return (frame, catalog) => {
    const entry = catalog.tables.get(access.table);
    if (entry === undefined) return NOTHING;
    return andThen(narrow(frame, catalog, entry), (narrowed) => {
      switch (narrowed?.kind) {
        case 'record': {
          const { id } = narrowed;
          return id instanceof RecordId && !(id.key instanceof Range) && id.table === access.table
            ? { keys: [entry.keys.record(encodeRecordKey(id))] }
            : NOTHING;
        }
        case 'records':
          return { keys: narrowed.keys.slice(0, MAX_KEYS) };
        case 'index':
          return { ranges: narrowed.ranges.map((range) => ({ ...range, reverse })) };
        case 'candidates':
          narrowed.candidates.close();
          return NOTHING;
        case 'table':
        case undefined:
          return { ranges: [{ ...(narrowed?.keys ?? entry.keys.records), reverse }] };
      }
    });
  };
}

function isFullText(access: Access): boolean {
  return access.kind === 'full-text-scan' || (access.kind === 'union-scan' && access.branches.some(isFullText));
}

/** In which direction it goes is found out with another question to the store. */
function withoutDirection(access: Guessable): {
  readonly undirected: Access;
  readonly direction: Direction | undefined;
} {
  if (!('direction' in access)) return { undirected: access, direction: undefined };
  const { direction, ...undirected } = access;
  return { undirected, direction };
}

/** `$auth.id` is `$auth`, if that record exists: enough for prefetching. */
type Guessable = Exclude<Access, KnnScan>;

function guessed(access: Guessable): Guessable {
  switch (access.kind) {
    case 'table-scan':
      return access;
    case 'point-lookup':
      return { ...access, id: guess(access.id) };
    case 'list-lookup':
      return { ...access, ids: guess(access.ids) };
    case 'range-scan':
      return { ...access, ...guessedBounds(access) };
    case 'index-scan':
      return guessedScan(access);
    case 'full-text-scan':
      return access;
    case 'union-scan':
      return { ...access, branches: access.branches.map((branch) => guessed(branch) as IndexAccess) };
  }
}

function guessedScan(scan: IndexScan): IndexScan {
  const { equal, anyOf } = scan;
  return { ...scan, equal: equal.map(guess), ...(anyOf && { anyOf: guess(anyOf) }), ...guessedBounds(scan) };
}

function guessedBounds({ from, to }: Bounds): Bounds {
  return { ...(from && { from: guess(from) }), ...(to && { to: guess(to) }) };
}

function guess<O extends Operand>(operand: O): O {
  const param = paramOfId(operand.value);
  return param === undefined ? operand : { ...operand, value: param };
}

function operandsOf(access: Guessable): readonly Operand[] {
  switch (access.kind) {
    case 'table-scan':
      return [];
    case 'point-lookup':
      return [access.id];
    case 'list-lookup':
      return [access.ids];
    case 'range-scan':
      return [access.from, access.to].filter((operand) => operand !== undefined);
    case 'index-scan':
      return [...access.equal, access.from, access.to, access.anyOf].filter((operand) => operand !== undefined);
    case 'full-text-scan':
      return [access.query];
    case 'union-scan':
      return access.branches.flatMap(operandsOf);
  }
}

/** Whether an expression is cheap to evaluate twice. */
function isKnown(expression: Expression): boolean {
  return expression.kind === 'param' || constantValue(expression) !== undefined;
}
