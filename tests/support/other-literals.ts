/** Plans the statements of a text with other literals than its own, so that whatever of these were left in the plans would be seen in the answers. */
import { TesseraError } from '../../src/errors/error.js';
import { StatementReader } from '../../src/language/parse.js';
import { type Blank, type BlankKind, type Shape, shapesOf } from '../../src/language/shape.js';
import type { StatementCache } from '../../src/session/cache/statement-cache.js';
import { newObject } from '../../src/value/value.js';

/** Two literals of each kind: every other differs from one of them. */
const LITERALS: Readonly<Record<Exclude<BlankKind, 'param'>, readonly [string, string]>> = {
  int: ['7', '8'],
  float: ['7.25', '8.25'],
  decimal: ['7.25dec', '8.25dec'],
  duration: ['7d', '8d'],
  string: ["'another text'", "'yet another'"],
  datetime: ["d'2001-02-03T04:05:06Z'", "d'2002-02-03T04:05:06Z'"],
  uuid: ["u'018e6b4c-1c1c-7d3a-8a4e-0123456789ab'", "u'018e6b4c-1c1c-7d3a-8a4e-0123456789ac'"],
  name: ['another', 'yet_another'],
  mixed: ['7th', '8th'],
  quoted: ['⟨another key⟩', '⟨yet another⟩'],
};

function otherLiteral({ kind, text }: Blank, written: string): string {
  if (kind === 'param') return `$bind__1${text.slice('bind__'.length)}`;
  const [one, other] = LITERALS[kind];
  return one === written ? other : one;
}

/** The text with other literals in the slots of its statements; `undefined` if they have none. */
export function withOtherLiterals(text: string): string | undefined {
  const changes = slottedBlanks(text);
  if (changes.length === 0) return undefined;
  let result = '';
  let taken = 0;
  for (const blank of changes) {
    const { start, end } = blank;
    result += text.slice(taken, start) + otherLiteral(blank, text.slice(start, end));
    taken = end;
  }
  return result + text.slice(taken);
}

function slottedBlanks(text: string): Blank[] {
  try {
    const reader = new StatementReader(text);
    return (shapesOf(text) ?? []).flatMap((shape: Shape) => {
      const used = new Set(reader.lifted(shape)?.slots.map(({ blank }) => blank));
      return shape.blanks.filter((_, index) => used.has(index));
    });
  } catch (error) {
    if (error instanceof TesseraError) return [];
    throw error;
  }
}

export function planWithOtherLiterals(plans: StatementCache, text: string): void {
  const other = withOtherLiterals(text);
  if (other === undefined) return;
  try {
    plans.parse(other, newObject());
  } catch (error) {
    if (!(error instanceof TesseraError)) throw error;
  }
}
