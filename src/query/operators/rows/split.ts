/** The operator of SPLIT. */
import { andThen, isPromise, type PromiseOrValue, untilTrue } from '../../../base/promise-or-value.js';
import type { Idiom } from '../../../language/ast.js';
import type { Direction, Split } from '../../../plan/nodes.js';
import type { Compiler, Evaluate, Frame } from '../../../runtime/frame.js';
import { type ArrayValue, isArray, isObject, type ObjectValue, SetValue, type Value } from '../../../value/value.js';
import { setPath } from '../../expression/assign.js';
import type { OperatorContext, Stream } from '../operator.js';
import { replaced } from './follow-links.js';

/** SPLIT: passes on the split rows, batch by batch. */
export function compileSplitNode({ on, input: below }: Split, context: OperatorContext): Stream {
  const input = context.stream(below);
  const split = compileSplit(on, context.compiler);
  return (frame, { targets }, visit) => {
    const { interrupt } = frame.execution;
    const visitParts = (parts: SplitRows, direction: Direction | undefined): PromiseOrValue<boolean> => {
      let isOver = false;
      const each = untilTrue(() =>
        andThen(parts.next(), (rows) => {
          if (rows.length === 0) return true;
          return andThen(visit(rows, direction), (stop) => {
            isOver = stop === true;
            return isOver || andThen(interrupt.checkpoint(), () => false);
          });
        }),
      );
      return andThen(each, () => isOver);
    };
    // The number of split rows isn't known in advance.
    return input(frame, { targets }, (batch, direction) => visitParts(split(frame, batch), direction));
  };
}

/** Rows of a batch. */
const BATCH = 256;

/** The rows of SPLIT, generated batch by batch, so that only the rows of a batch are held. */
interface SplitRows {
  /** The next rows; none at the end. */
  next(): PromiseOrValue<readonly Value[]>;
}

/**
 * SPLIT: one row for each element of an array, be it NONE, and of several arrays one for each combination. A row whose
 * array is empty, or that has none, stays as it is.
 */
function compileSplit(
  paths: readonly Idiom[],
  compiler: Compiler,
): (frame: Frame, rows: readonly Value[]) => SplitRows {
  const levels = paths.map((path): Level => ({ path, evaluate: compiler.expression(path) }));
  return (frame, rows) => new Product(frame, rows, levels);
}

interface Level {
  readonly path: Idiom;
  readonly evaluate: Evaluate;
}

/** The position in an array. */
interface Position {
  readonly row: ObjectValue;
  readonly elements: ArrayValue;
  next: number;
  readonly level: number;
}

/** Goes through the combinations depth first, so that they come in the order of the first path, then of the second. */
class Product implements SplitRows {
  readonly #frame: Frame;
  readonly #rows: readonly Value[];
  readonly #levels: readonly Level[];
  #nextRow = 0;
  readonly #positions: Position[] = [];
  #made: Value[] = [];

  constructor(frame: Frame, rows: readonly Value[], levels: readonly Level[]) {
    this.#frame = frame;
    this.#rows = rows;
    this.#levels = levels;
  }

  next(): PromiseOrValue<readonly Value[]> {
    this.#made = [];
    return andThen(
      untilTrue(() => this.#step()),
      () => this.#made,
    );
  }

  /** Continues until a batch is full or something has to be waited for; returns whether the batch is complete. */
  #step(): PromiseOrValue<boolean> {
    while (this.#made.length < BATCH) {
      const advanced = this.#advance();
      if (advanced === undefined) return true;
      if (isPromise(advanced)) return advanced.then(() => false);
    }
    return true;
  }

  /** Takes one element, or a row to split; `undefined` where there is none left. */
  #advance(): PromiseOrValue<true> | undefined {
    const position = this.#positions.at(-1);
    if (position === undefined) {
      if (this.#nextRow === this.#rows.length) return undefined;
      return this.#enter(this.#rows[this.#nextRow++], 0);
    }
    const { row, elements, level } = position;
    if (position.next === elements.length) {
      this.#positions.pop();
      return true;
    }
    const part = withElement(this.#frame, row, (this.#levels[level] as Level).path, elements[position.next++]);
    return andThen(part, (made) => this.#enter(made, level + 1));
  }

  /**
   * Begins to split a row by the path of a level, or by a later one if there is nothing to split; passes it on behind
   * the last.
   */
  #enter(row: Value, level: number): PromiseOrValue<true> {
    const next = this.#levels[level];
    if (next === undefined) {
      this.#made.push(row);
      return true;
    }
    return andThen(next.evaluate(this.#frame.within(row)), (value) => {
      const elements = value instanceof SetValue ? value.items : value;
      if (!isArray(elements) || elements.length === 0 || !isObject(row)) return this.#enter(row, level + 1);
      this.#positions.push({ row, elements, next: 0, level });
      return true;
    });
  }
}

function withElement(frame: Frame, row: ObjectValue, path: Idiom, element: Value): PromiseOrValue<Value> {
  const [first, ...deeper] = path.parts;
  if (first?.kind === 'field' && deeper.length === 0) return replaced(row, first.name, element);
  return setPath(row, path, element, frame, true);
}
