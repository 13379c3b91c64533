/**
 * A card with the first fields of a record, or what a file is, beside the link to it that the pointer or the focus is on. One card serves all links of the view,
 * since a grid has hundreds. It stays while the pointer is on it, and Escape takes it away.
 */
import {
  type FocusEvent,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { StringRecordId } from 'surrealdb';
import { textOf } from '../../components/value-text.js';
import type { Connection } from '../../connection/connection.js';
import { useLoaded } from '../../connection/use-loaded.js';
import { FileCard } from '../files/file-card.js';
import type { Row } from './rows.js';

interface Properties {
  readonly connection: Connection;
  readonly className: string;
  readonly children: ReactNode;
}

/** In milliseconds. */
const DELAY = 350;

/** What a link leads to. */
type Linked =
  | { readonly kind: 'record'; readonly id: string }
  | { readonly kind: 'file'; readonly bucket: string; readonly key: string };

interface Shown {
  readonly of: Linked;
  /** What it describes. */
  readonly beside: Element;
}

export function RecordCards({ connection, className, children }: Properties) {
  const [shown, setShown] = useState<Shown>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const opened = useRef<'pointer' | 'keys'>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const later = (by: 'pointer' | 'keys', next: Shown | undefined) => {
    // Where the pointer rests doesn't count for a card that keys have opened.
    if (next === undefined && by !== opened.current) return;
    opened.current = by;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setShown(next), DELAY);
  };
  const close = () => {
    clearTimeout(timer.current);
    setShown(undefined);
  };
  const isShown = shown !== undefined;
  useEffect(() => {
    if (!isShown) return;
    // The focus may be elsewhere.
    const dismiss = ({ key }: globalThis.KeyboardEvent) => {
      if (key === 'Escape') setShown(undefined);
    };
    addEventListener('keydown', dismiss);
    return () => removeEventListener('keydown', dismiss);
  }, [isShown]);
  const point = ({ target, pointerType }: PointerEvent) => {
    const link = linkAt(target);
    if (link !== undefined && pointerType !== 'touch') later('pointer', { of: link.of, beside: link.element });
    else later('pointer', undefined);
  };
  const focus = ({ target }: FocusEvent) => {
    const link = linkAt(target);
    if (link !== undefined) later('keys', { of: link.of, beside: link.element });
    else close();
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return;
    // The focus of a grid is on the grid, whatever its active cell.
    const grid = event.target as Element;
    if (grid.getAttribute('role') !== 'grid') return;
    const cell = grid.querySelector('.cell.active');
    const link = linkAt(cell?.firstElementChild ?? null);
    if (link !== undefined && cell !== null) later('keys', { of: link.of, beside: cell });
    else close();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the card describes links, which have the roles
    <div
      className={className}
      onPointerOver={point}
      onPointerLeave={() => later('pointer', undefined)}
      onFocus={focus}
      onKeyUp={key}
      onClick={close}
      onScrollCapture={close}
    >
      {children}
      {shown !== undefined && (
        <Card
          key={JSON.stringify(shown.of)}
          connection={connection}
          shown={shown}
          onEnter={() => clearTimeout(timer.current)}
        />
      )}
    </div>
  );
}

/** The link to a record or a file that an element is in. */
function linkAt(target: EventTarget | null): { readonly of: Linked; readonly element: Element } | undefined {
  const element = target instanceof Element ? target.closest('[data-record], [data-file]') : null;
  if (element === null) return undefined;
  const [record, file] = [element.getAttribute('data-record'), element.getAttribute('data-file')];
  if (record !== null) return { of: { kind: 'record', id: record }, element };
  const [bucket, key] = JSON.parse(file ?? '[]') as readonly [string, string];
  return { of: { kind: 'file', bucket, key }, element };
}

/** Fields that are shown, and characters of each. */
const MOST = 6;
const LONGEST = 80;
/** In pixels, as in explore.css. */
const WIDTH = 320;
const HEIGHT = 200;

interface CardProperties {
  readonly connection: Connection;
  readonly shown: Shown;
  onEnter(): void;
}

function Card({ connection, shown: { of, beside }, onEnter }: CardProperties) {
  const name = useId();
  useEffect(() => {
    beside.setAttribute('aria-describedby', name);
    return () => beside.removeAttribute('aria-describedby');
  }, [beside, name]);
  const { left, top, bottom } = beside.getBoundingClientRect();
  const isBelow = bottom + HEIGHT < innerHeight;
  const place = isBelow ? { top: `${bottom}px` } : { bottom: `${innerHeight - top}px` };
  return (
    <div
      id={name}
      role="tooltip"
      className="record-card"
      style={{ left: `${Math.max(0, Math.min(left, innerWidth - WIDTH))}px`, ...place }}
      onPointerOver={(event) => {
        event.stopPropagation();
        onEnter();
      }}
    >
      {of.kind === 'record' ? (
        <RecordFields connection={connection} id={of.id} />
      ) : (
        <FileCard connection={connection} bucket={of.bucket} name={of.key} />
      )}
    </div>
  );
}

function RecordFields({ connection, id }: { readonly connection: Connection; readonly id: string }) {
  const record = useLoaded(async () => {
    const [row] = await connection.query<[Row | null | undefined]>('SELECT * FROM ONLY $id', {
      id: new StringRecordId(id),
    });
    return row ?? null;
  }, [connection, id]);
  return (
    <>
      <strong>{id}</strong>
      {record.error !== undefined && <p>{record.error.message}</p>}
      {record.error === undefined && record.data === undefined && <p>Loading…</p>}
      {record.data === null && <p>There is no such record, or you may not see it.</p>}
      {record.data && <Fields row={record.data} />}
    </>
  );
}

function Fields({ row }: { readonly row: Row }) {
  const fields = firstFields(row);
  if (fields.length === 0) return <p>It has no fields.</p>;
  return (
    <dl>
      {fields.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Short texts first, which most likely name the record. */
function firstFields({ id: _, ...rest }: Row): readonly (readonly [string, string])[] {
  const fields = Object.entries(rest);
  const isName = (value: unknown) => typeof value === 'string' && value.length <= LONGEST;
  const ordered = [...fields.filter(([, value]) => isName(value)), ...fields.filter(([, value]) => !isName(value))];
  return ordered.slice(0, MOST).map(([name, value]) => [name, textOf(value)]);
}
