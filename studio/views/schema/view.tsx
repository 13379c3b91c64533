/** Schema: what is defined, as lists, and as a picture that is changed by hand. */
import './schema.css';
import type { ViewProperties } from '../../base/view-properties.js';
import { DefinitionsPage } from './definitions-page.js';
import { DesignerPage } from './designer/designer-page.js';
import type { Selection } from './designer/selection.js';
import { TablePage } from './table-page.js';

export function View({ connection, path: [page, ...rest] }: ViewProperties) {
  const [table] = rest;
  if (page === 'designer') {
    // What is open belongs to its database.
    const { namespace, database } = connection.session;
    const key = JSON.stringify([namespace, database, ...rest]);
    return <DesignerPage key={key} connection={connection} opened={openedBy(rest)} />;
  }
  if (page === 'table' && table !== undefined) return <TablePage key={table} connection={connection} table={table} />;
  return <DefinitionsPage connection={connection} />;
}

/** `designer/new-table`, `designer/table/person`. */
function openedBy([page, table]: readonly string[]): Selection | undefined {
  if (page === 'new-table') return { kind: 'table' };
  return page === 'table' && table !== undefined ? { kind: 'table', table } : undefined;
}
