/** Moves boxes of the picture, by the pointer and by the keyboard. */
import { useMemo } from 'react';
import { type Store, useStore } from '../../../base/store.js';
import type { BoxPlaces } from './box-places.js';
import type { Box, Point } from './layout.js';
import { type Drag, type Dragging, useDrag } from './use-drag.js';

export interface BoxMoves extends Pick<Dragging<Box>, 'start'> {
  /** Where boxes stand that were moved, the one under the pointer included. */
  readonly moved: BoxPlaces;
  /** Moves a box by so many steps. */
  step(box: Box, right: number, down: number): void;
}

/** In pixels. */
const STEP = 24;
/** Boxes stand on a grid. */
const GRID = 8;

export function useBoxMoves(places: Store<BoxPlaces>, zoom: number): BoxMoves {
  const kept = useStore(places);
  const placeOf = ({ what, from, to }: Drag<Box>) =>
    within(what, { x: what.x + (to.x - from.x) / zoom, y: what.y + (to.y - from.y) / zoom });
  const { drag, start } = useDrag<Box>((last) => {
    places.value = withPlace(places.value, last.what, placeOf(last));
  });
  const under = drag && placeOf(drag);
  const moved = useMemo(
    () => (drag === undefined || under === undefined ? kept : withPlace(kept, drag.what, under)),
    [kept, drag?.what, under?.x, under?.y],
  );
  return {
    moved,
    start,
    step(box, right, down) {
      const place = within(box, { x: box.x + right * STEP, y: box.y + down * STEP });
      places.value = withPlace(places.value, box, place);
    },
  };
}

function withPlace(places: BoxPlaces, { table }: Box, place: Point): BoxPlaces {
  return new Map([...places, [table.name, place]]);
}

/** The picture has no room above it or to its left. */
function within({ width, height }: Box, { x, y }: Point): Point {
  const onGrid = (value: number) => Math.round(value / GRID) * GRID;
  return { x: Math.max(width / 2, onGrid(x)), y: Math.max(height / 2, onGrid(y)) };
}
