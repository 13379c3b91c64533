/** A table in the picture, with its fields. */
import { VisuallyHidden } from '@mantine/core';
import { CheckCircleIcon, type Icon, KeyIcon, LinkIcon, LockIcon, PlusIcon, SortAscIcon } from '@primer/octicons-react';
import type { KeyboardEvent, PointerEvent } from 'react';
import { type DraftField, MARKS, type Mark } from './draft.js';
import type { Box } from './layout.js';
import type { LinkEnd, Selection } from './selection.js';

const ICONS: Readonly<Record<Mark, Icon>> = {
  unique: KeyIcon,
  index: SortAscIcon,
  assert: CheckCircleIcon,
  permission: LockIcon,
};

interface Properties {
  readonly box: Box;
  readonly isEditable: boolean;
  /** Whether a link that is being drawn would lead here. */
  readonly isTarget: boolean;
  /** Whether it is open, or something in it. */
  readonly isShown: boolean;
  onSelect(selection: Selection): void;
  /** The pointer is pressed on what a link may begin at. */
  onPress(event: PointerEvent<HTMLElement>, from: LinkEnd): void;
  /** The pointer is pressed on what the box is moved by. */
  onMove(event: PointerEvent<HTMLElement>, box: Box): void;
  /** The box is moved by the keyboard, by so many steps. */
  onStep(box: Box, right: number, down: number): void;
}

const STEPS: Readonly<Record<string, readonly [right: number, down: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export function TableBox({ box, isEditable, isTarget, isShown, onSelect, onPress, onMove, onStep }: Properties) {
  const { table, fields, more, x, y, width, height } = box;
  const { name, kind, state } = table;
  const isOpen = isEditable && state !== 'removed';
  return (
    <article
      className={`table-box ${state}${kind.kind === 'RELATION' ? ' relation' : ''}${isTarget || isShown ? ' target' : ''}`}
      aria-label={`Table ${name}`}
      data-table={name}
      style={{ left: x - width / 2, top: y - height / 2, width, height }}
    >
      <header>
        <button
          type="button"
          className="title"
          title="Drag to move, or Shift with an arrow"
          aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight Shift+ArrowUp Shift+ArrowDown"
          onClick={() => onSelect({ kind: 'table', table: name })}
          onPointerDown={(event) => {
            // A finger scrolls the picture.
            if (event.pointerType === 'mouse') onMove(event, box);
          }}
          onKeyDown={(event: KeyboardEvent) => {
            const [right = 0, down = 0] = (event.shiftKey && STEPS[event.key]) || [];
            if (right === 0 && down === 0) return;
            event.preventDefault();
            onStep(box, right, down);
          }}
        >
          {name}
        </button>
        {isOpen && (
          <button
            type="button"
            className="handle"
            aria-label={`Link ${name} to a table`}
            title="Drag to a table, or press"
            onPointerDown={(event) => onPress(event, { table: name })}
            onClick={() => onSelect({ kind: 'link', from: { table: name } })}
          >
            <LinkIcon size={14} />
          </button>
        )}
      </header>
      <ul>
        {fields.map((field) => (
          <li key={field.path}>
            <FieldRow
              field={field}
              onOpen={() => onSelect({ kind: 'field', table: name, field })}
              onPress={(event) => {
                // A finger scrolls the picture.
                if (isOpen && event.pointerType === 'mouse') onPress(event, { table: name, field });
              }}
            />
          </li>
        ))}
        {more > 0 && (
          <li>
            <button type="button" onClick={() => onSelect({ kind: 'table', table: name })}>
              {more} more fields
            </button>
          </li>
        )}
        {isOpen && (
          <li>
            <button
              type="button"
              className="add"
              aria-label={`Add a field to ${name}`}
              onClick={() => onSelect({ kind: 'field', table: name })}
            >
              <PlusIcon size={14} /> Field
            </button>
          </li>
        )}
      </ul>
    </article>
  );
}

interface RowProperties {
  readonly field: DraftField;
  onOpen(): void;
  onPress(event: PointerEvent<HTMLElement>): void;
}

function FieldRow({ field: { path, state, choice, before, marks }, onOpen, onPress }: RowProperties) {
  const type = before?.computed === undefined ? choice.type || 'any' : 'computed';
  return (
    <button type="button" className={`field-row ${state}`} onClick={onOpen} onPointerDown={onPress}>
      <span className="name">{path}</span> <span className="type">{type}</span>
      {marks.map((mark) => {
        const Shown = ICONS[mark];
        return (
          <span key={mark} title={MARKS[mark]}>
            <Shown size={12} />
            <VisuallyHidden> {MARKS[mark]}</VisuallyHidden>
          </span>
        );
      })}
      {state !== 'same' && <VisuallyHidden> {state}</VisuallyHidden>}
    </button>
  );
}
