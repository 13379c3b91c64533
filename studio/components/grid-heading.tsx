/** The head of a column of a grid, by which its rows are ordered. */
import { type Column, styleOf } from './grid-columns.js';
import type { Order } from './grid-order.js';

interface HeadingProperties {
  readonly column: Column;
  readonly order: Order | undefined;
  readonly onOrder: ((order: Order | undefined) => void) | undefined;
}

/** A click sorts ascending, the second descending, the third by id again. */
export function Heading({ column: { name, width }, order, onOrder }: HeadingProperties) {
  if (onOrder === undefined) {
    return (
      <div className="cell" role="columnheader" tabIndex={-1} style={styleOf(width)}>
        <strong>{name}</strong>
      </div>
    );
  }
  const isOrdered = order?.field === name;
  const next = !isOrdered
    ? { field: name, descending: false }
    : order.descending
      ? undefined
      : { field: name, descending: true };
  return (
    <div
      className="cell"
      role="columnheader"
      tabIndex={-1}
      style={styleOf(width)}
      aria-sort={!isOrdered ? 'none' : order.descending ? 'descending' : 'ascending'}
    >
      <button type="button" title={`Order by ${name}`} onClick={() => onOrder(next)}>
        {name}
        {isOrdered && <span aria-hidden="true">{order.descending ? ' ↓' : ' ↑'}</span>}
      </button>
    </div>
  );
}
