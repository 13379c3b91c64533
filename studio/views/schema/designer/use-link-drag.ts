/** Draws a link by the pointer: from what it is pressed on to the table where it is let go. */
import type { RefObject } from 'react';
import type { Point } from './layout.js';
import type { LinkEnd } from './selection.js';
import { type Dragging, useDrag } from './use-drag.js';

export interface LinkDrag extends Pick<Dragging<LinkEnd>, 'start'> {
  /** The line that follows the pointer, in pixels of the plane; `undefined` while there is none. */
  readonly line: readonly [Point, Point] | undefined;
  /** The table that the pointer is over. */
  readonly over: string | undefined;
}

/** @param plane what the line is drawn on, with its zoom; `onLink` is called with the name of the table at its end */
export function useLinkDrag(
  plane: RefObject<HTMLElement | null>,
  zoom: number,
  onLink: (from: LinkEnd, to: string) => void,
): LinkDrag {
  const { drag, start } = useDrag<LinkEnd>(({ what, to }) => {
    const table = tableAt(to);
    if (table !== undefined) onLink(what, table);
  });
  const inPlane = ({ x, y }: Point): Point => {
    const { left = 0, top = 0 } = plane.current?.getBoundingClientRect() ?? {};
    return { x: (x - left) / zoom, y: (y - top) / zoom };
  };
  return {
    line: drag && [inPlane(drag.from), inPlane(drag.to)],
    over: drag && tableAt(drag.to),
    start,
  };
}

function tableAt({ x, y }: Point): string | undefined {
  const found = document.elementFromPoint(x, y)?.closest('[data-table]');
  return found?.getAttribute('data-table') ?? undefined;
}
