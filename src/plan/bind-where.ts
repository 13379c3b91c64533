/** WHERE over the rows of sources: filters, and the search for neighbours between them. */
import type { TableEntry } from '../catalog/definitions/database-catalog.js';
import type { IndexDefinition } from '../catalog/definitions/definition.js';
import { failure } from '../errors/error.js';
import type { Expression, Idiom, IndexHints, NearestOperator } from '../language/ast.js';
import { printExpression, printIdiom } from '../language/print.js';
import { parseMetric } from '../vectors/metric.js';
import { isFieldPath } from './access/comparisons.js';
import { mayHideRecords } from './access/facts.js';
import type { Binding } from './bind-sources.js';
import { type NearestExpression, nearestCondition } from './nearest-condition.js';
import type { IndexScan, KnnScan, SourceNode, StreamNode } from './nodes.js';

/** The plan that finds rows that meet a condition, in the requested order if `mayOrder`. */
export type BindSource = (where: Expression | undefined, mayOrder: boolean) => SourceNode;

/** What has a condition. */
interface Filtered {
  readonly where?: Expression | undefined;
  readonly with?: IndexHints | undefined;
}

/** The source to filter, and whether rows are shown rather than changed. */
interface FilteredTargets {
  readonly targets: readonly Expression[];
  readonly isRead: boolean;
}

/** @throws TesseraError `nearest_nested`, `nearest_form`, `nearest_index_missing`, `index_building` */
export function bindWhere(
  { where, with: hints }: Filtered,
  { targets, isRead }: FilteredTargets,
  binding: Binding,
  bindSource: BindSource,
): StreamNode {
  const condition = nearestCondition(where);
  if (condition === undefined) return filtered(where, bindSource(where, true));
  const { nearest, before, after } = condition;
  const found = bindNearest(nearest, {
    targets,
    isRead,
    with: hints,
    binding,
    rows: (source) => filtered(before, source ?? bindSource(before, false)),
  });
  return filtered(after, found);
}

function filtered(condition: Expression | undefined, input: StreamNode): StreamNode {
  return condition === undefined ? input : { kind: 'filter', condition, input };
}

// The search for neighbours within a condition: exact over the rows below it, or by an index.

/** The parts of a search: `field <|k,…|> vector`. */
interface Wanted {
  readonly operator: NearestOperator;
  readonly field: Expression;
  readonly vector: Expression;
}

/** The source in which neighbours are searched. */
interface NearestSite {
  readonly targets: readonly Expression[];
  /** Whether rows are to be shown, rather than changed: then none is found that the reader may not see. */
  readonly isRead: boolean;
  readonly with: IndexHints | undefined;
  readonly binding: Binding;
  /** The rows that the other conditions leave of a source, or of the targets. */
  readonly rows: (source?: KnnScan) => StreamNode;
}

/** @throws TesseraError `nearest_form`, `nearest_index_missing`, `index_building` */
function bindNearest(nearest: NearestExpression, site: NearestSite): StreamNode {
  const wanted = sidesOf(nearest);
  const { k, distance, ef } = wanted.operator;
  if (ef !== undefined) return bindIndexed(wanted, ef, site);
  if (distance === undefined) throw failure('nearest_form', { k });
  return exact(wanted, distance, site);
}

function exact({ operator: { k }, field, vector }: Wanted, distance: string, { rows }: NearestSite): StreamNode {
  return { kind: 'knn-top-k', field, vector, k, metric: parseMetric(distance), input: rows() };
}

function bindIndexed(wanted: Wanted, ef: number, site: NearestSite): StreamNode {
  const { operator, field, vector } = wanted;
  const { k } = operator;
  const entry = onlyTable(site);
  const index = entry && isFieldPathTo(field) ? indexOf(entry, field, site.with) : undefined;
  if (entry === undefined || index === undefined || index.indexKind.kind !== 'hnsw') {
    throw failure('nearest_index_missing', { field: printExpression(field), k, ef });
  }
  const { reader } = site.binding;
  // An index has stored values: distances of possibly hidden fields are measured on the visible ones.
  const isHidden = (): boolean => reader.mayHide(entry, field as Idiom) || (!site.isRead && mayHideRecords(entry));
  if (reader.isChecked && isHidden()) return exact(wanted, index.indexKind.distance, site);
  const table = entry.definition.name;
  const within = scansOf(site.rows());
  const scan: KnnScan = { kind: 'knn-scan', table, index, vector, k, ef, ...(within && { within }) };
  return { kind: 'first-rows', most: k, input: site.rows(scan) };
}

/** The scans of indexes by which rows would be found without the search. */
function scansOf(rows: StreamNode): readonly IndexScan[] | undefined {
  const source = rows.kind === 'filter' ? rows.input : rows;
  if (source.kind === 'index-scan') return [source];
  if (source.kind !== 'union-scan') return undefined;
  const scans = source.branches.filter((branch) => branch.kind === 'index-scan');
  return scans.length === source.branches.length ? scans : undefined;
}

/** The vector may come first. */
function sidesOf({ operator, left, right }: NearestExpression): Wanted {
  const isMirrored = isFieldPath(right) && !isFieldPath(left);
  return isMirrored ? { operator, field: right, vector: left } : { operator, field: left, vector: right };
}

function isFieldPathTo(field: Expression): field is Idiom {
  return field.kind === 'idiom' && field.start === undefined;
}

/** The table that is the only source. */
function onlyTable({ targets: [only, ...others], binding: { catalog } }: NearestSite): TableEntry | undefined {
  return only?.kind === 'table' && others.length === 0 ? catalog?.tables.get(only.name) : undefined;
}

/** The last by name of those that serve. @throws TesseraError `index_building` */
function indexOf(entry: TableEntry, field: Idiom, hint: IndexHints | undefined): IndexDefinition | undefined {
  if (hint?.kind === 'noindex') return undefined;
  const path = printIdiom(field);
  const serves = ({ name, indexKind, fields: [column] }: IndexDefinition): boolean =>
    indexKind.kind === 'hnsw' &&
    column !== undefined &&
    printIdiom(column) === path &&
    (hint === undefined || hint.names.includes(name));
  const [last] = entry.answering.filter(serves).sort((a, b) => (a.name < b.name ? 1 : -1));
  if (last !== undefined) return last;
  const building = entry.indexes.find((index) => index.state === 'building' && serves(index));
  if (building !== undefined) throw failure('index_building', { index: building.name });
  return undefined;
}
