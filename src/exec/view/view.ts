/** Views: tables that hold what a SELECT over other tables gives, kept up to date by whoever changes those. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import type { TableDefinition } from '../../catalog/definitions/definition.js';
import { failure } from '../../errors/error.js';
import type { Select } from '../../language/ast.js';
import { type FieldsRead, fieldsSelected } from '../../plan/fields-read.js';
import { isTruthy } from '../../value/truthiness.js';
import { type Compiler, type Evaluate, type Execution, Frame, Scope } from '../execution.js';
import { fieldPath } from '../expression/projection-name.js';
import { compileProjections } from '../operators/projections.js';
import { type Columns, compileColumns } from './columns.js';
import { Groups } from './groups.js';
import { putRow } from './rows.js';
import type { SourceChange } from './source-change.js';

/** A view made ready to be kept. */
export interface PreparedView {
  readonly definition: TableDefinition;
  readonly where: Evaluate | undefined;
  /** What is read of the records of its sources. */
  readonly reads: FieldsRead;
  readonly rows: RowView | GroupView;
}

/** One record for each of a source, under the same key. */
export interface RowView {
  readonly kind: 'rows';
  readonly project: Evaluate;
}

/** One record for each group. */
export interface GroupView {
  readonly kind: 'groups';
  readonly columns: Columns;
}

/** @throws TesseraError for what views can't select */
export function compileView(definition: TableDefinition, select: Select, compiler: Compiler): PreparedView {
  const { projections, group, where } = select;
  if (group === undefined && projections.kind === 'value') throw failure('view_value', { grouped: false });
  return {
    definition,
    where: where && compiler.expression(where),
    reads: fieldsSelected(select),
    rows:
      group === undefined
        ? { kind: 'rows', project: compileProjections(projections, compiler, fieldPath) }
        : { kind: 'groups', columns: compileColumns(select, group, compiler) },
  };
}

/** What changes make of a view. What they add up to is written by `finish`. */
export class ViewUpdate {
  readonly #execution: Execution;
  readonly #view: PreparedView;
  readonly #groups: Groups | undefined;

  constructor(execution: Execution, catalog: DatabaseCatalog, view: PreparedView) {
    this.#execution = execution;
    this.#view = view;
    const { definition, rows } = view;
    if (rows.kind === 'groups') this.#groups = new Groups(execution, catalog, definition, rows.columns);
  }

  add(change: SourceChange): PromiseOrValue<void> {
    const { after, source } = change;
    if (after === undefined) return this.#apply(change, undefined);
    // Views see computed fields, as whoever selects from the source would.
    const seen = this.#execution.reader.present(this.#execution, source, after, 'select', this.#view.reads);
    return andThen(seen, (row) => {
      const frame = new Frame(this.#execution, new Scope(), row);
      const { where } = this.#view;
      return andThen(where === undefined ? true : where(frame), (verdict) =>
        this.#apply(change, isTruthy(verdict) ? frame : undefined),
      );
    });
  }

  finish(): PromiseOrValue<void> {
    return this.#groups?.finish();
  }

  /** `frame` has the record as its document, if it belongs to the view. */
  #apply(change: SourceChange, frame: Frame | undefined): PromiseOrValue<void> {
    const { rows, definition } = this.#view;
    if (rows.kind === 'rows') return putRow(this.#execution, definition.name, rows.project, change, frame);
    return this.#groups?.replace(change, frame);
  }
}
