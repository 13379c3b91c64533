/**
 * Rows in a grid of which only those in sight are drawn, so that a million of them scroll. Arrow keys move the active cell, Enter opens its
 * row, Space selects it, and Shift with an arrow key those on the way. Browsers bound the height of an element, so that the way of the scroll
 * bar is scaled beyond `TALLEST`.
 */
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { type Column, type GridRow, styleOf } from './grid-columns.js';
import { Heading } from './grid-heading.js';
import type { Order } from './grid-order.js';
import { type GridSelection, SelectAllCell, SelectCell } from './grid-selection.js';
import { Value } from './value.js';

/** In pixels, as in components.css. */
const ROW_HEIGHT = 28;
const TALLEST = 8_000_000;

interface Properties {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly count: number;
  readonly order?: Order | undefined;
  rowAt(at: number): GridRow | undefined;
  /** The id of a row as text, where rows can be opened. */
  idAt?(at: number): string | undefined;
  /** What is to become of a row, if it isn't saved yet. */
  stateOf?(at: number): 'changed' | 'deleted' | undefined;
  /** Absent where the order is that of the rows. */
  onOrder?(order: Order | undefined): void;
  onOpen?(id: string): void;
  /** Absent where rows can't be selected. */
  readonly selection?: GridSelection;
}

interface Cell {
  readonly row: number;
  readonly column: number;
}

export function Grid({ label, columns, count, order, rowAt, idAt, stateOf, onOrder, onOpen, selection }: Properties) {
  const name = useId();
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(400);
  const [active, setActive] = useState<Cell>({ row: 0, column: 0 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const inSight = Math.max(1, Math.floor(height / ROW_HEIGHT) - 1);
  const whole = Math.min(count * ROW_HEIGHT, TALLEST) + ROW_HEIGHT;
  const way = Math.max(1, whole - height);
  const last = Math.max(0, count - inSight);
  const first = Math.min(last, Math.floor((top / way) * last + 0.5));
  const shown = Math.min(count - first, inSight + 1);

  const show = (row: number) => {
    if (row >= first && row < first + inSight) return;
    const wanted = row < first ? row : row - inSight + 1;
    if (box.current === null) return;
    box.current.scrollTop = last === 0 ? 0 : (Math.min(wanted, last) / last) * way;
    // At once, since another key may be pressed before the browser says that it has scrolled.
    setTop(box.current.scrollTop);
  };
  const move = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, Cell>> = {
      ArrowDown: { row: 1, column: 0 },
      ArrowUp: { row: -1, column: 0 },
      ArrowRight: { row: 0, column: 1 },
      ArrowLeft: { row: 0, column: -1 },
      PageDown: { row: inSight, column: 0 },
      PageUp: { row: -inSight, column: 0 },
      Home: { row: -count, column: 0 },
      End: { row: count, column: 0 },
    };
    const open = idAt?.(active.row);
    if (event.key === 'Enter' && open !== undefined && event.target === box.current) return onOpen?.(open);
    const isInHead = (event.target as Element).closest('.head') !== null;
    if (selection !== undefined && event.key === ' ' && !isInHead && idAt?.(active.row) !== undefined) {
      event.preventDefault();
      return selection.onToggle(active.row);
    }
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = {
      row: Math.max(0, Math.min(count - 1, active.row + step.row)),
      column: Math.max(0, Math.min(columns.length - 1, active.column + step.column)),
    };
    setActive(next);
    show(next.row);
    if (event.shiftKey && next.row !== active.row) selection?.onExtend(next.row, active.row);
  };

  return (
    <div
      ref={box}
      className="grid"
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length + (selection === undefined ? 0 : 1)}
      aria-multiselectable={selection !== undefined}
      aria-activedescendant={`${name}-${active.row}-${active.column}`}
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={move}
    >
      <div className="canvas" role="presentation" style={{ height: `${whole}px` }}>
        <div className="window" role="presentation">
          <div className="grid-row head" role="row" aria-rowindex={1} tabIndex={-1}>
            {selection !== undefined && <SelectAllCell selection={selection} />}
            {columns.map((column) => (
              <Heading key={column.name} column={column} order={order} onOrder={onOrder} />
            ))}
          </div>
          {Array.from({ length: shown }, (_, index) => first + index).map((at) => {
            const row = rowAt(at);
            const id = idAt?.(at);
            const state = row === undefined ? 'waiting' : (stateOf?.(at) ?? '');
            return (
              <div
                key={at}
                className={`grid-row ${state}`}
                role="row"
                aria-rowindex={at + 2}
                tabIndex={-1}
                {...(selection !== undefined && { 'aria-selected': selection.has(at) })}
                onDoubleClick={() => id !== undefined && onOpen?.(id)}
              >
                {selection !== undefined && (
                  <SelectCell
                    at={at}
                    id={id}
                    selection={selection}
                    onActive={() => setActive({ ...active, row: at })}
                  />
                )}
                {columns.map(({ name: field, width }, index) => (
                  <div
                    key={field}
                    id={`${name}-${at}-${index}`}
                    className={at === active.row && index === active.column ? 'cell active' : 'cell'}
                    role="gridcell"
                    tabIndex={-1}
                    style={styleOf(width)}
                    onMouseDown={() => setActive({ row: at, column: index })}
                  >
                    {row === undefined
                      ? '…'
                      : Object.hasOwn(row, field) && (
                          <Value value={row[field]} {...(field === 'id' && id !== undefined && { id })} />
                        )}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
