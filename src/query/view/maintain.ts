/** Maintenance of views: with each change of a source, and completely when they are defined. */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { emptyView } from '../../catalog/ddl/remove.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { TableDefinition } from '../../catalog/definitions/definition.js';
import type { Select } from '../../language/ast.js';
import { bindViewBuild, bindViewChanges } from '../../plan/bind-view.js';
import { type FieldsRead, fieldsSelected } from '../../plan/fields-read.js';
import type { MaterializeGroups, MaterializeRows, ViewNode } from '../../plan/nodes.js';
import type { MaintainViews } from '../../records/table.js';
import { withDefinerRightsCap } from '../../runtime/authorization/definer-rights-cap.js';
import { withErrorRedaction } from '../../runtime/authorization/error-redaction.js';
import { UNCHECKED } from '../../runtime/authorization/permission.js';
import { deeper } from '../../runtime/depth.js';
import type { Execution } from '../../runtime/execution.js';
import { type Compiler, type Evaluate, Frame } from '../../runtime/frame.js';
import { Scope } from '../../runtime/scope.js';
import { withField } from '../../value/paths.js';
import { isObject, type ObjectValue, RecordId, type Value } from '../../value/value.js';
import { fieldPath } from '../expression/projection-name.js';
import { ALL_ROWS, type RecordReading, type Stream } from '../operators/operator.js';
import { OperatorCompiler } from '../operators/operators.js';
import { compileProjections } from '../operators/rows/projections.js';
import { compileGroupColumns } from './group-columns.js';
import { GroupedView } from './groups.js';
import type { SourceRecord, ViewRecords } from './view-records.js';

/** Compiles the views that read a table to the function that maintains them with a change of one of its records. */
export function prepareViews({ views }: TableEntry, compiler: Compiler): MaintainViews | undefined {
  const prepared = views.flatMap((view) => (view.view === undefined ? [] : [prepareView(view, view.view, compiler)]));
  if (prepared.length === 0) return undefined;
  return (execution, catalog, source, written) => {
    const inner = maintenance(execution);
    return forEachInOrder(prepared, (view) =>
      withErrorRedaction(execution, `view '${view.definition.name}'`, () =>
        andThen(applyChange(inner, catalog, view, { source, ...written }), () => undefined),
      ),
    );
  };
}

/** Rebuilds a view from its sources, and with it the views on it. No events are raised. */
export function buildView(execution: Execution, name: string, compiler: Compiler): PromiseOrValue<void> {
  return andThen(execution.context.catalog(), (catalog) => {
    const view = catalog?.tables.get(name);
    if (catalog !== undefined && view !== undefined) return build(execution, catalog, view, compiler);
  });
}

function build(
  execution: Execution,
  catalog: DatabaseCatalog,
  view: TableEntry,
  compiler: Compiler,
): PromiseOrValue<void> {
  const { definition } = view;
  const select = definition.view;
  if (select === undefined) return;
  const inner: Execution = { ...maintenance(execution), importing: true };
  return andThen(emptyWithDependents(execution, catalog, view), () =>
    andThen(fillView(inner, catalog, definition, select, compiler), () => undefined),
  );
}

/** The contributions of the view's records to views on it are removed with them. */
function emptyWithDependents(execution: Execution, catalog: DatabaseCatalog, view: TableEntry): PromiseOrValue<void> {
  const {
    services: { sessions },
    context,
    identity,
  } = execution;
  if (view.definition.hasUsers === true) sessions.scheduleRevalidation(context.transaction, identity.databasePath);
  return andThen(emptyView(context.transaction, catalog, view, execution.interrupt), () =>
    forEachInOrder(view.views, ({ name }) => {
      const dependent = catalog.tables.get(name);
      return andThen(dependent && emptyWithDependents(execution, catalog, dependent), () => undefined);
    }),
  );
}

/** Views are kept with permissions off. */
export function maintenance(execution: Execution): Execution {
  return { ...deeper(withDefinerRightsCap(execution)), checks: UNCHECKED };
}

// Views: tables with the result of a SELECT over other tables, maintained with each change of these.

/** A view with the compiled plan of its maintenance. */
interface PreparedView {
  readonly definition: TableDefinition;
  /** The fields that are read of its sources' records. */
  readonly reads: FieldsRead;
  readonly changes: Materialization;
}

/** A change of a record of a source. */
interface SourceChange extends SourceRecord {
  readonly after: ObjectValue | undefined;
}

/** @throws TesseraError for what views can't select (`bindViewChanges`) */
function prepareView(definition: TableDefinition, select: Select, compiler: Compiler): PreparedView {
  const tree = bindViewChanges({ name: definition.name, view: select }, compiler.tuning.rules);
  const reads = fieldsSelected(select);
  return { definition, reads, changes: compileMaterialization(tree, reads, compiler) };
}

/** Applies a change to a view. */
function applyChange(
  execution: Execution,
  catalog: DatabaseCatalog,
  { definition, reads, changes }: PreparedView,
  change: SourceChange,
): PromiseOrValue<void> {
  const records = changes.open(execution, catalog, definition);
  const replace = (row: Value) =>
    andThen(records.replace(change, row === undefined ? undefined : rowFrame(execution, row)), () => records.finish());
  const { after, source } = change;
  if (after === undefined) return replace(undefined);
  // Views see computed fields, as a SELECT from the source does.
  return andThen(execution.services.reader.present(execution, source, after, 'select', reads), (seen) => {
    let admitted: Value;
    const found = changes.rows(
      rowFrame(execution, undefined),
      { targets: [{ kind: 'value', value: seen }] },
      ([row]) => {
        admitted = row;
        return true;
      },
    );
    return andThen(found, () => replace(admitted));
  });
}

/** Fills a view from all records of its sources. */
function fillView(
  execution: Execution,
  catalog: DatabaseCatalog,
  definition: TableDefinition,
  select: Select,
  compiler: Compiler,
): PromiseOrValue<unknown> {
  const tree = bindViewBuild({ name: definition.name, view: select }, catalog, compiler.tuning.rules);
  const { rows, open } = compileMaterialization(tree, fieldsSelected(select), compiler);
  const records = open(execution, catalog, definition);
  return rows(rowFrame(execution, undefined), ALL_ROWS, (batch) => {
    const added = forEachInOrder(batch, (row) => {
      const id = isObject(row) ? row['id'] : undefined;
      const source = id instanceof RecordId ? catalog.tables.get(id.table) : undefined;
      if (!(id instanceof RecordId) || source === undefined) return undefined;
      return andThen(records.replace({ source, id, before: undefined }, rowFrame(execution, row)), () => undefined);
    });
    return andThen(added, () => andThen(records.finish(), () => false));
  });
}

function rowFrame(execution: Execution, row: Value): Frame {
  return new Frame(execution, new Scope(), row);
}

// The compiled nodes of a view's plan, which turn rows into its records.

/** A view's plan, compiled. */
interface Materialization {
  /** The rows of sources that belong to the view. */
  readonly rows: Stream;
  /** The storage of the rows. */
  readonly open: OpenRecords;
}

type OpenRecords = (execution: Execution, catalog: DatabaseCatalog, view: TableDefinition) => ViewRecords;

/** `fields`: what is read of the sources. */
function compileMaterialization(tree: ViewNode, fields: FieldsRead, compiler: Compiler): Materialization {
  const reading: RecordReading = {
    purpose: 'select',
    fields,
    writes: false,
    access: (_, { definition }) => ({ kind: 'table-scan', table: definition.name }),
  };
  const compile = RECORDS[tree.kind] as (node: ViewNode, compiler: Compiler) => OpenRecords;
  return { rows: new OperatorCompiler(compiler, reading).stream(tree.input), open: compile(tree, compiler) };
}

const RECORDS: {
  readonly [Kind in ViewNode['kind']]: (
    node: Extract<ViewNode, { readonly kind: Kind }>,
    compiler: Compiler,
  ) => OpenRecords;
} = {
  'materialize-rows': compileRows,
  'materialize-groups': compileGroups,
};

function compileRows({ projections }: MaterializeRows, compiler: Compiler): OpenRecords {
  const project = compileProjections(projections, compiler, fieldPath);
  return (execution, _, { name }) => new RowView(execution, name, project);
}

function compileGroups(node: MaterializeGroups, compiler: Compiler): OpenRecords {
  const columns = compileGroupColumns(node, compiler);
  return (execution, catalog, view) => new GroupedView(execution, catalog, view, columns);
}

/** The records of a view without GROUP: each corresponds to a record of a source, under the same key. */
class RowView implements ViewRecords {
  readonly #execution: Execution;
  readonly #view: string;
  readonly #project: Evaluate;

  constructor(execution: Execution, view: string, project: Evaluate) {
    this.#execution = execution;
    this.#view = view;
    this.#project = project;
  }

  replace({ id, before }: SourceRecord, frame: Frame | undefined): PromiseOrValue<void> {
    const execution = this.#execution;
    const own = new RecordId(this.#view, id.key);
    if (frame === undefined)
      return before === undefined ? undefined : execution.services.writer.put(execution, own, undefined);
    return andThen(this.#project(frame), (row) =>
      execution.services.writer.put(execution, own, withField(row, 'id', own) as ObjectValue),
    );
  }

  finish(): undefined {
    return undefined;
  }
}
