/** The compiled nodes of a view's plan, which turn rows into its records. */

import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import type { TableDefinition } from '../../catalog/definitions/definition.js';
import type { FieldsRead } from '../../plan/fields-read.js';
import type { MaterializeGroups, MaterializeRows, ViewNode } from '../../plan/nodes.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler } from '../../runtime/frame.js';
import { fieldPath } from '../expression/projection-name.js';
import type { RecordReading, Stream } from '../operators/operator.js';
import { OperatorCompiler } from '../operators/operators.js';
import { compileProjections } from '../operators/rows/projections.js';
import { compileGroupColumns } from './group-columns.js';
import { GroupedView } from './groups.js';
import { RowView } from './rows.js';
import type { ViewRecords } from './view-records.js';

/** A view's plan, compiled. */
export interface Materialization {
  /** The rows of sources that belong to the view. */
  readonly rows: Stream;
  /** The storage of the rows. */
  readonly open: OpenRecords;
}

type OpenRecords = (execution: Execution, catalog: DatabaseCatalog, view: TableDefinition) => ViewRecords;

/** `fields`: what is read of the sources. */
export function compileMaterialization(tree: ViewNode, fields: FieldsRead, compiler: Compiler): Materialization {
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
