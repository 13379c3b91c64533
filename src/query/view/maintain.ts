/** Maintenance of views: with each change of a source, and completely when they are defined. */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { emptyView } from '../../catalog/ddl/remove.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { MaintainViews } from '../../records/table.js';
import { withDefinerRightsCap } from '../../runtime/authorization/definer-rights-cap.js';
import { withErrorRedaction } from '../../runtime/authorization/error-redaction.js';
import { UNCHECKED } from '../../runtime/authorization/permission.js';
import { deeper } from '../../runtime/depth.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler } from '../../runtime/frame.js';
import { applyChange, fillView, prepareView } from './view.js';

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
