/** The facts of a statement for the choice of access paths to one of its tables. */
import { Derived } from '../../base/derived.js';
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import type { Expression, Idiom, IndexHints } from '../../language/ast.js';
import { printIdiom } from '../../language/print.js';
import { isDocumentFree, isUncorrelated } from '../dependencies.js';
import type { OrderWanted } from '../nodes.js';
import { ComparisonSet } from './comparison-set.js';
import { type Comparison, type Demands, demandsOf } from './comparisons.js';

/** The statement's requirements on a table's records. */
export interface AccessHints {
  readonly where?: Expression | undefined;
  readonly with?: IndexHints | undefined;
  /** The requested order, if only the first rows are needed. */
  readonly order?: OrderWanted | undefined;
  /** Whether scores of matches are requested. */
  readonly scored?: boolean | undefined;
  /** Nothing changes while records are found, so that subqueries that don't depend on them are the same for all. */
  readonly sharesSubqueries?: boolean | undefined;
}

export interface AccessFactsSource extends AccessHints {
  readonly entry: TableEntry;
  /** The condition of the permission that the reader is subject to. */
  readonly rule?: Expression | undefined;
  /**
   * Whether something at a field may be hidden from the reader. The reader's view is compared, and an index
   * has only stored values; the order of its keys would reveal them as well.
   */
  readonly mayHide: (path: Idiom) => boolean;
  /** Whether PERMISSIONS may hide records of the table from the reader. */
  readonly mayHideRecords: boolean;
  /** Whether records are to be shown, rather than changed: then none is found that the reader may not see. */
  readonly isRead: boolean;
}

/** The same as `isDocumentFree`, subqueries included. */
function isFreeOfRows(operand: Expression): boolean {
  return isDocumentFree(operand, isUncorrelated);
}

/** Whether PERMISSIONS of a table may hide records of it from users subject to them. */
export function mayHideRecords({ definition }: TableEntry): boolean {
  return definition.permissions.select.kind !== 'full';
}

/** The same with derived facts, computed once for all rules. */
export class AccessFacts implements AccessFactsSource {
  readonly entry: TableEntry;
  readonly where: Expression | undefined;
  readonly with: IndexHints | undefined;
  readonly order: OrderWanted | undefined;
  readonly rule: Expression | undefined;
  readonly scored: boolean | undefined;
  readonly mayHideRecords: boolean;
  readonly isRead: boolean;
  readonly mayHide: (path: Idiom) => boolean;
  /** The conditions on a record that an access path may rely on. */
  readonly comparisons: ComparisonSet;
  /** Those that the reader's permission makes. */
  readonly ruled: ComparisonSet;
  /** All comparisons of one of the alternatives must hold. */
  readonly choices: readonly (readonly (readonly Comparison[])[])[];
  /** The indexes that may be used, by the paths of their first fields; made when the first is asked for. */
  #byLeadingPath: ReadonlyMap<string, readonly IndexDefinition[]> | undefined;

  constructor(source: AccessFactsSource) {
    this.entry = source.entry;
    this.where = source.where;
    this.with = source.with;
    this.order = source.order;
    this.rule = source.rule;
    this.mayHide = source.mayHide;
    this.scored = source.scored;
    this.mayHideRecords = source.mayHideRecords;
    this.isRead = source.isRead;
    const isOpen = ({ field }: Comparison): boolean => !this.mayHide(field);
    const query: Demands = demandsOf(source.where, 'query', source.sharesSubqueries ? isFreeOfRows : isDocumentFree);
    const ruled: Demands = demandsOf(source.rule, 'rule');
    this.ruled = new ComparisonSet(ruled.all);
    this.comparisons = new ComparisonSet([...query.all.filter(isOpen), ...ruled.all]);
    this.choices = [
      ...query.choices.map((choice) => choice.map((each) => each.filter(isOpen))),
      // Rows come alternative by alternative, and so tell which one they meet.
      ...ruled.choices.filter((choice) => choice.every((each) => each.every(isOpen))),
    ];
  }

  /** Whether anything but a walk over the whole table may be thought of. */
  get mayNarrow(): boolean {
    return this.with?.kind !== 'noindex';
  }

  /** Whether the WITH clause lets an index be used. */
  allows({ name }: IndexDefinition): boolean {
    return this.with?.kind !== 'index' || this.with.names.includes(name);
  }

  /** The indexes that may be used whose first field is that at a path, in their order. */
  indexesLedBy(path: string): readonly IndexDefinition[] {
    this.#byLeadingPath ??= this.#groupByLeadingPath();
    return this.#byLeadingPath.get(path) ?? [];
  }

  #groupByLeadingPath(): ReadonlyMap<string, readonly IndexDefinition[]> {
    const groups = new Map<string, IndexDefinition[]>();
    for (const index of this.entry.answering) {
      if (!this.allows(index)) continue;
      const [path = ''] = indexPaths(index);
      const group = groups.get(path);
      if (group === undefined) groups.set(path, [index]);
      else group.push(index);
    }
    return groups;
  }
}

/** The paths of an index's fields as texts, as comparisons name them: computed once, since they are compared often. */
export function indexPaths(index: IndexDefinition): readonly string[] {
  let paths = known.get(index);
  if (paths === undefined) {
    paths = index.fields.map((field) => printIdiom(field));
    known.set(index, paths);
  }
  return paths;
}

const known = new Derived<IndexDefinition, readonly string[]>();
