/** The selection of rows in the grid of a table, by clicks and keys. */
import { useEffect, useRef, useState } from 'react';
import type { GridSelection } from '../../../components/grid-selection.js';
import { asError } from '../../../connection/as-error.js';
import type { RowPages } from '../rows.js';
import { countSelected, isSelected, NO_ROWS, type SelectedRows, withRows } from './selected-rows.js';

/** Rows that a range selects at most, since their ids have to be read. */
const MOST_IN_RANGE = 5000;

/** Where ranges begin, and what was selected then. */
interface Anchor {
  readonly at: number;
  readonly selected: SelectedRows;
}

export interface RowSelection {
  readonly selected: SelectedRows;
  select(selected: SelectedRows): void;
  readonly grid: GridSelection;
}

/** @param onError called with what is wrong with a range */
export function useRowSelection(pages: RowPages, total: number, onError: (error: Error) => void): RowSelection {
  const [selected, setSelected] = useState(NO_ROWS);
  const anchor = useRef<Anchor>(undefined);
  const latest = useRef(0);
  // The places of rows are others in another order.
  useEffect(() => {
    anchor.current = undefined;
  }, [pages]);
  const select = (next: SelectedRows) => {
    latest.current++;
    anchor.current = undefined;
    setSelected(next);
  };
  const count = countSelected(selected, total);
  const has = (at: number) => {
    const code = pages.code(at);
    return code !== undefined && isSelected(selected, code);
  };
  const toggle = (at: number) => {
    const code = pages.code(at);
    if (code === undefined) return;
    const next = withRows(selected, [code], !isSelected(selected, code));
    select(next);
    anchor.current = { at, selected: next };
  };
  const extend = async (at: number, start: number) => {
    anchor.current ??= { at: start, selected };
    const { at: from, selected: before } = anchor.current;
    const turn = ++latest.current;
    const [first, last] = from < at ? [from, at] : [at, from];
    if (last - first >= MOST_IN_RANGE) {
      const most = MOST_IN_RANGE.toLocaleString('en');
      return onError(new Error(`A range selects ${most} rows at most. For more, select all that match.`));
    }
    try {
      const codes = await pages.codesBetween(first, last);
      if (turn === latest.current) setSelected(withRows(before, codes, true));
    } catch (thrown) {
      onError(asError(thrown));
    }
  };
  return {
    selected,
    select,
    grid: {
      has,
      state: count === 0 ? 'none' : count === total ? 'all' : 'some',
      onToggleAll: () => select(count === 0 ? withRows(NO_ROWS, pages.loadedCodes(), true) : NO_ROWS),
      onToggle: toggle,
      onExtend: (at, start) => void extend(at, start),
    },
  };
}
