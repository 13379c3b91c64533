/** The panel of what is selected. */
import type { Designer } from './designer.js';
import { FieldPanel } from './field-panel.js';
import { IndexPanel } from './index-panel.js';
import { LinkPanel } from './link-panel.js';
import type { Selection } from './selection.js';
import { NewTablePanel, TablePanel } from './table-panel.js';

interface Properties {
  readonly designer: Designer;
  readonly selection: Selection;
}

export function SelectedPanel({ designer, selection }: Properties) {
  if (selection.kind === 'link') return <LinkPanel designer={designer} from={selection.from} to={selection.to} />;
  if (selection.table === undefined) return <NewTablePanel designer={designer} />;
  const table = designer.tables.find(({ name }) => name === selection.table);
  if (table === undefined) return null;
  switch (selection.kind) {
    case 'table':
      return <TablePanel designer={designer} table={table} />;
    case 'field':
      return <FieldPanel designer={designer} table={table} field={selection.field} />;
    case 'index':
      return <IndexPanel designer={designer} table={table} index={selection.index} />;
  }
}
