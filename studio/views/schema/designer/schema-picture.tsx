/** The picture: tables as boxes that one opens and changes, with lines for links between them. */
import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { DashIcon, PlusIcon } from '@primer/octicons-react';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import type { Store } from '../../../base/store.js';
import { ScrollingTable } from '../../../components/data-table.js';
import type { BoxPlaces } from './box-places.js';
import type { DraftTable } from './draft.js';
import { type Line, layOut, shortened } from './layout.js';
import type { Link } from './links.js';
import type { LinkEnd, Selection } from './selection.js';
import { TableBox } from './table-box.js';
import { useBoxMoves } from './use-box-moves.js';
import { useLinkDrag } from './use-link-drag.js';

interface Properties {
  readonly tables: readonly DraftTable[];
  readonly links: readonly Link[];
  readonly isEditable: boolean;
  /** The table that is open, or has in it what is. */
  readonly open: string | undefined;
  /** Where boxes stand that were moved. */
  readonly places: Store<BoxPlaces>;
  onSelect(selection: Selection): void;
}

export function SchemaPicture({ tables, links, isEditable, open, places, onSelect }: Properties) {
  const plane = useRef<HTMLDivElement>(null);
  const arrow = useId();
  const [zoom, setZoom] = useState(1);
  const { moved, start: move, step } = useBoxMoves(places, zoom);
  const picture = useMemo(() => layOut(tables, links, { isEditable, moved }), [tables, links, isEditable, moved]);
  const { width, height, boxes, lines } = picture;
  useEffect(() => {
    const boxes = [...(plane.current?.querySelectorAll('[data-table]') ?? [])];
    const box = boxes.find((one) => one.getAttribute('data-table') === open);
    box?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    // Not while it is moved.
  }, [open, tables, links, isEditable]);
  const drag = useLinkDrag(plane, zoom, (from: LinkEnd, to: string) => onSelect({ kind: 'link', from, to }));
  const [start, end] = drag.line ?? [];
  return (
    <>
      <Group gap="xs" justify="end" mb={4}>
        {moved.size > 0 && (
          <Button
            size="xs"
            variant="subtle"
            onClick={() => {
              places.value = new Map();
            }}
          >
            Lay out again
          </Button>
        )}
        <Zoom zoom={zoom} onChange={setZoom} />
      </Group>
      <ScrollingTable label="Diagram">
        <div ref={plane} className="plane" style={{ width, height, zoom }}>
          <svg
            width={width}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
            role="img"
            aria-label={`${boxes.length} tables and ${lines.length} links; the list below says which`}
          >
            <defs>
              <marker id={arrow} viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
                <path d="M0 0 8 4 0 8z" />
              </marker>
            </defs>
            {lines.map((line) => (
              <LinkLine key={JSON.stringify(line.link)} line={line} arrow={arrow} />
            ))}
          </svg>
          {boxes.map((box) => (
            <TableBox
              key={box.table.name}
              box={box}
              isEditable={isEditable}
              isTarget={drag.over === box.table.name}
              isShown={open === box.table.name}
              onSelect={onSelect}
              onPress={drag.start}
              onMove={move}
              onStep={step}
            />
          ))}
          {start !== undefined && end !== undefined && (
            <svg className="drawn" width={width} height={height} aria-hidden>
              <line x1={start.x} y1={start.y} x2={end.x} y2={end.y} />
            </svg>
          )}
        </div>
      </ScrollingTable>
    </>
  );
}

function LinkLine({ line, arrow }: { readonly line: Line; readonly arrow: string }) {
  const points = line.points.map(({ x, y }) => `${x} ${y}`);
  return (
    <g>
      <path d={`M${points.join('L')}`} markerEnd={`url(#${arrow})`} />
      <text className="label" x={line.x} y={line.y}>
        {shortened(line.link.label)}
      </text>
    </g>
  );
}

const ZOOMS: readonly number[] = [0.4, 0.6, 0.8, 1];

/** A large database fits on the page where it is small. */
function Zoom({ zoom, onChange }: { readonly zoom: number; onChange(zoom: number): void }) {
  const at = ZOOMS.indexOf(zoom);
  const change = (step: number) => onChange(ZOOMS[at + step] ?? zoom);
  return (
    <>
      <ActionIcon aria-label="Smaller" disabled={at === 0} onClick={() => change(-1)}>
        <DashIcon />
      </ActionIcon>
      <Text size="sm" role="status">{`${Math.round(zoom * 100)} %`}</Text>
      <ActionIcon aria-label="Larger" disabled={at === ZOOMS.length - 1} onClick={() => change(1)}>
        <PlusIcon />
      </ActionIcon>
    </>
  );
}
