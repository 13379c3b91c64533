/** Documents as text. A list of what is yet to write takes the place of recursion. */
import { type BreakingGroup, type Doc, isBroken } from './document.js';

/** Blanks of a level. */
const STEP = 2;

interface Command {
  readonly doc: Doc;
  readonly indent: number;
  /** Whether its lines don't break, since the group around it fits. */
  readonly isFlat: boolean;
}

/** The text, in lines of `width` where they can be broken, with no blanks at their ends. */
export function render(doc: Doc, width: number): string {
  const writer = new Writer(width);
  const rest: Command[] = [{ doc, indent: 0, isFlat: false }];
  for (let command = rest.pop(); command !== undefined; command = rest.pop()) writer.step(command, rest);
  return writer.text;
}

class Writer {
  readonly #width: number;
  readonly #pieces: string[] = [];
  #column = 0;
  /** Blanks that are written only if something follows on the line. */
  #blanks = 0;
  /** A comment up to the end of its line was written. */
  #mustBreak = false;

  constructor(width: number) {
    this.#width = width;
  }

  get text(): string {
    return this.#pieces.join('');
  }

  /** Writes a document, or adds its parts to what is to be written. */
  step({ doc, indent, isFlat }: Command, rest: Command[]): void {
    if (typeof doc === 'string') this.#append(doc, indent);
    else if (doc.kind === 'group') rest.push(...this.#grouped(doc, { indent, isFlat }, rest));
    else if (doc.kind === 'verbatim') this.#append(doc.text, indent);
    else if (doc.kind === 'comment') this.#comment(doc, indent);
    else if (doc.kind === 'break') this.#newLine(indent, doc.isParagraph);
    else if (doc.kind === 'line') this.#blankOrLine(doc.flat, indent, !isFlat);
    else if (doc.kind === 'fill') this.#blankOrLine(' ', indent, this.#column + 1 + doc.next > this.#width);
    else addParts(rest, doc, { indent, isFlat });
  }

  #grouped(doc: BreakingGroup, { indent, isFlat }: Omit<Command, 'doc'>, rest: readonly Command[]): Command[] {
    const flat = { doc: doc.doc, indent, isFlat: true };
    if (isFlat || (!doc.isBroken && this.#fits([flat], rest))) return [flat];
    if (doc.hugging !== undefined && !isBroken(doc.hugging.head)) {
      const { head, last, tail } = doc.hugging;
      const hugging = [
        { doc: tail, indent, isFlat: false },
        { doc: last, indent, isFlat: false },
        { doc: head, indent, isFlat: true },
      ];
      if (this.#fits(hugging, rest, last)) return hugging;
    }
    return [{ doc: doc.doc, indent, isFlat: false }];
  }

  /** Whether all up to the next line break fits: first these, then what is to be written. The group `broken` breaks. */
  #fits(first: readonly Command[], behind: readonly Command[], broken?: Doc): boolean {
    let room = this.#width - this.#column - this.#blanks;
    const todo = [...first];
    let next = behind.length;
    while (room >= 0) {
      const command = todo.pop() ?? behind[--next];
      if (command === undefined || endsLine(command)) return true;
      const { doc, indent, isFlat } = command;
      if (typeof doc === 'string') room -= doc.length;
      else if (doc.kind === 'verbatim') room -= doc.text.length;
      else if (doc.kind === 'line') room -= doc.flat.length;
      else if (doc.kind === 'fill') room--;
      else if (doc.kind === 'group') {
        todo.push({ doc: doc.doc, indent, isFlat: isFlat || !(doc.isBroken || doc === broken) });
      } else if (doc.kind === 'concat' || doc.kind === 'indent') addParts(todo, doc, { indent, isFlat });
    }
    return false;
  }

  #comment({ text, isOwn, isLine }: Extract<Doc, { kind: 'comment' }>, indent: number): void {
    if (isOwn && this.#column > 0) this.#newLine(indent, false);
    else this.#append(' ', indent);
    this.#append(text, indent);
    this.#mustBreak = isOwn || isLine;
  }

  #blankOrLine(blank: '' | ' ', indent: number, isBroken: boolean): void {
    if (isBroken) this.#newLine(indent, false);
    else this.#append(blank, indent);
  }

  #newLine(indent: number, isParagraph: boolean): void {
    this.#mustBreak = false;
    this.#pieces.push(isParagraph ? '\n\n' : '\n');
    this.#column = 0;
    this.#blanks = indent;
  }

  #append(text: string, indent: number): void {
    if (text === '') return;
    if (text === ' ') {
      if (this.#column > 0) this.#blanks = 1;
      return;
    }
    if (this.#mustBreak) this.#newLine(indent, false);
    this.#pieces.push(' '.repeat(this.#blanks), text);
    const lastLine = text.lastIndexOf('\n') + 1;
    this.#column = lastLine === 0 ? this.#column + this.#blanks + text.length : text.length - lastLine;
    this.#blanks = 0;
  }
}

/** Adds what a document is made of, the last part first. */
function addParts(
  todo: Command[],
  doc: Extract<Doc, { kind: 'concat' | 'indent' }>,
  { indent, isFlat }: Omit<Command, 'doc'>,
): void {
  if (doc.kind === 'indent') todo.push({ doc: doc.doc, indent: indent + STEP, isFlat });
  else for (let at = doc.parts.length - 1; at >= 0; at--) todo.push({ doc: doc.parts[at] as Doc, indent, isFlat });
}

function endsLine({ doc, isFlat }: Command): boolean {
  if (typeof doc === 'string') return false;
  return doc.kind === 'comment' || doc.kind === 'break' || (!isFlat && (doc.kind === 'line' || doc.kind === 'fill'));
}
