/** Schema: what is defined, as lists and as a diagram. */
import './schema.css';
import type { ViewProperties } from '../../base/view-properties.js';
import { DefinitionsPage } from './definitions-page.js';
import { DiagramPage } from './diagram-page.js';
import { TablePage } from './table-page.js';

export function View({ connection, path: [page, table] }: ViewProperties) {
  if (page === 'diagram') return <DiagramPage connection={connection} />;
  if (page === 'table' && table !== undefined) return <TablePage key={table} connection={connection} table={table} />;
  return <DefinitionsPage connection={connection} isNewTable={page === 'new-table'} />;
}
