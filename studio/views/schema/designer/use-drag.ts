/** What the pointer is pressed on and moved with, until it is let go. */
import { type PointerEvent as ReactPointerEvent, useEffect, useRef, useState } from 'react';
import type { Point } from './layout.js';

export interface Drag<What> {
  readonly what: What;
  /** Where the pointer was pressed, and where it is, in pixels of the window. */
  readonly from: Point;
  readonly to: Point;
}

export interface Dragging<What> {
  /** `undefined` while nothing is dragged. */
  readonly drag: Drag<What> | undefined;
  /** Begins, once the pointer is pressed. */
  start(event: ReactPointerEvent<HTMLElement>, what: What): void;
}

/** In pixels: a shorter way is a click. */
const SHORTEST = 6;

/** @param onDrop called where it is let go; Escape gives it up */
export function useDrag<What>(onDrop: (drag: Drag<What>) => void): Dragging<What> {
  const [pressed, setPressed] = useState<Omit<Drag<What>, 'to'>>();
  const [drag, setDrag] = useState<Drag<What>>();
  const dropped = useRef(onDrop);
  dropped.current = onDrop;
  useEffect(() => {
    if (pressed === undefined) return;
    const dragTo = ({ clientX: x, clientY: y }: PointerEvent) => {
      const isDrag = Math.hypot(x - pressed.from.x, y - pressed.from.y) >= SHORTEST;
      return isDrag ? { ...pressed, to: { x, y } } : undefined;
    };
    const end = () => {
      setPressed(undefined);
      setDrag(undefined);
    };
    const move = (event: PointerEvent) => setDrag((last) => dragTo(event) ?? last);
    const drop = (event: PointerEvent) => {
      const last = dragTo(event);
      end();
      if (last === undefined) return;
      ignoreNextClick();
      dropped.current(last);
    };
    const cancel = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return;
      ignoreNextClick();
      end();
    };
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
  return { drag, start: ({ clientX: x, clientY: y }, what) => setPressed({ what, from: { x, y } }) };
}

/** Letting go over what was pressed is a click, too. */
function ignoreNextClick(): void {
  const ignore = (event: MouseEvent) => event.stopPropagation();
  addEventListener('click', ignore, { capture: true, once: true });
  addEventListener('pointerdown', () => removeEventListener('click', ignore, { capture: true }), {
    capture: true,
    once: true,
  });
}
