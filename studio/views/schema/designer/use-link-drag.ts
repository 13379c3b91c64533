/** Draws a link by the pointer: from what it is pressed on to the table where it is let go. */
import { type PointerEvent as ReactPointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { Point } from './layout.js';
import type { LinkEnd } from './selection.js';

export interface LinkDrag {
  /** The line that follows the pointer, in pixels of the plane; `undefined` while there is none. */
  readonly line: readonly [Point, Point] | undefined;
  /** The table that the pointer is over. */
  readonly over: string | undefined;
  /** Begins, once the pointer is pressed. */
  start(event: ReactPointerEvent<HTMLElement>, from: LinkEnd): void;
}

/** In pixels: a shorter way is a click. */
const SHORTEST = 6;

interface Pressed {
  readonly from: LinkEnd;
  readonly at: Point;
}

/** @param plane what the line is drawn on, with its zoom; `onLink` is called with the name of the table at its end */
export function useLinkDrag(
  plane: RefObject<HTMLElement | null>,
  zoom: number,
  onLink: (from: LinkEnd, to: string) => void,
): LinkDrag {
  const [pressed, setPressed] = useState<Pressed>();
  const [pointer, setPointer] = useState<Point>();
  const [over, setOver] = useState<string>();
  const link = useRef(onLink);
  link.current = onLink;
  useEffect(() => {
    if (pressed === undefined) return;
    const isDrag = ({ clientX, clientY }: PointerEvent) =>
      Math.hypot(clientX - pressed.at.x, clientY - pressed.at.y) >= SHORTEST;
    const end = () => {
      setPressed(undefined);
      setPointer(undefined);
      setOver(undefined);
    };
    const move = (event: PointerEvent) => {
      if (!isDrag(event)) return;
      setPointer({ x: event.clientX, y: event.clientY });
      setOver(tableAt(event));
    };
    const drop = (event: PointerEvent) => {
      const to = tableAt(event);
      if (isDrag(event) && to !== undefined) link.current(pressed.from, to);
      end();
    };
    const cancel = (event: KeyboardEvent) => event.key === 'Escape' && end();
    addEventListener('pointermove', move);
    addEventListener('pointerup', drop);
    addEventListener('pointercancel', end);
    addEventListener('keydown', cancel);
    return () => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', drop);
      removeEventListener('pointercancel', end);
      removeEventListener('keydown', cancel);
    };
  }, [pressed]);
  const inPlane = ({ x, y }: Point): Point => {
    const { left = 0, top = 0 } = plane.current?.getBoundingClientRect() ?? {};
    return { x: (x - left) / zoom, y: (y - top) / zoom };
  };
  return {
    line: pressed === undefined || pointer === undefined ? undefined : [inPlane(pressed.at), inPlane(pointer)],
    over: pointer === undefined ? undefined : over,
    start: ({ clientX, clientY }, from) => setPressed({ from, at: { x: clientX, y: clientY } }),
  };
}

function tableAt({ clientX, clientY }: PointerEvent): string | undefined {
  const found = document.elementFromPoint(clientX, clientY)?.closest('[data-table]');
  return found?.getAttribute('data-table') ?? undefined;
}
