/** The column of a grid by which rows are selected. Its boxes aren't on the way of Tab, since Space selects the active row. */
import { Checkbox } from '@mantine/core';

export interface GridSelection {
  has(at: number): boolean;
  /** The state of the box above the others. */
  readonly state: 'none' | 'some' | 'all';
  /** Of the box above the others. */
  onToggleAll(): void;
  /** Selects a row, or no longer. */
  onToggle(at: number): void;
  /** Selects all rows from the one that was selected last to this one; from `start` if there is none. */
  onExtend(at: number, start: number): void;
}

/** The box above the others. */
export function SelectAllCell({ selection: { state, onToggleAll } }: { readonly selection: GridSelection }) {
  return (
    <div className="cell select" role="columnheader" tabIndex={-1}>
      <Checkbox
        size="xs"
        tabIndex={-1}
        aria-label="Select rows"
        checked={state === 'all'}
        indeterminate={state === 'some'}
        onChange={onToggleAll}
      />
    </div>
  );
}

interface SelectCellProperties {
  readonly at: number;
  readonly id: string | undefined;
  readonly selection: GridSelection;
  /** Where keys go on from. */
  onActive(): void;
}

export function SelectCell({ at, id, selection, onActive }: SelectCellProperties) {
  return (
    // A click beside the small box means it, too, and the second of two doesn't open the row.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
    <div
      className="cell select"
      role="gridcell"
      tabIndex={-1}
      onMouseDown={(event) => {
        // Otherwise Shift would select text.
        if (event.shiftKey) event.preventDefault();
      }}
      onClick={({ shiftKey }) => {
        if (id === undefined) return;
        if (shiftKey) selection.onExtend(at, at);
        else selection.onToggle(at);
        onActive();
      }}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <Checkbox
        size="xs"
        tabIndex={-1}
        aria-label={`Select ${id ?? 'this row'}`}
        disabled={id === undefined}
        checked={selection.has(at)}
        readOnly
      />
    </div>
  );
}
