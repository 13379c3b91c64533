/** Finds the ends of statements in a text that is still being typed. */

/**
 * What keeps a text going on: a string, a quoted name, a comment or a bracket without its end, or a statement without
 * its `;`.
 */
export type OpenConstruct = 'string' | 'name' | 'comment' | 'bracket' | 'statement';

export interface TypedInput {
  /** The statements that have ended, without their semicolons. */
  readonly statements: readonly string[];
  /** The text behind the last of them; empty if it has no content. */
  readonly rest: string;
  /** The delimiter that is still open in the rest; `undefined` if none. */
  readonly open: OpenConstruct | undefined;
}

const OPENING = '([{';
const CLOSING = ')]}';
/** The closing delimiter of a string or name, by its opening one. */
const QUOTES: Readonly<Record<string, readonly [close: string, open: OpenConstruct]>> = {
  "'": ["'", 'string'],
  '"': ['"', 'string'],
  '`': ['`', 'name'],
  '⟨': ['⟩', 'name'],
};
/** Words and blanks, which open and close nothing. */
const PLAIN = /[\w\s]+/y;
/** After these a slash begins a regular expression; after anything else it divides. */
const BEFORE_REGEX = '([{,=:;!&|?~<>';

/** How far a text has been scanned. Later text doesn't change the result before `at`. */
interface Progress {
  readonly at: number;
  /** The start of the incomplete statement. */
  readonly from: number;
  /** Number of open brackets. */
  readonly depth: number;
  /** Whether anything but blanks and comments stands behind `from`. */
  readonly says: boolean;
  /** The last character that isn't blank. */
  readonly before: string;
}

const BEGINNING: Progress = { at: 0, from: 0, depth: 0, says: false, before: ';' };

/**
 * Splits what was typed so far. Semicolons within brackets, strings and comments end nothing.
 *
 *     readStatements("RETURN 1; FOR $a IN [1] { RETURN ';'").open === 'bracket'
 */
export function readStatements(text: string): TypedInput {
  const { statements, open, progress } = read(text, BEGINNING);
  return { statements, rest: open === undefined ? '' : text.slice(progress.from).trim(), open };
}

/** Lines as they are typed, or pasted by the thousand: each is read once. */
export class InputBuffer {
  readonly #lines: string[] = [];
  /** What has to be read again together with the next line: an open string, name or comment. */
  #unread = '';
  #progress = BEGINNING;

  get text(): string {
    return this.#lines.join('\n');
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  /** Appends a line; returns what is still open after it. */
  add(line: string): OpenConstruct | undefined {
    const text = this.isEmpty ? line : `${this.#unread}\n${line}`;
    this.#lines.push(line);
    const { open, progress } = read(text, this.#progress);
    this.#unread = text.slice(progress.at);
    this.#progress = { ...progress, at: 0, from: 0 };
    return open;
  }
}

function read(text: string, progress: Progress) {
  const statements: string[] = [];
  let { at, from, depth, says, before } = progress;
  const stop = (open: OpenConstruct | undefined) => ({ statements, open, progress: { at, from, depth, says, before } });
  while (at < text.length) {
    PLAIN.lastIndex = at;
    const plain = PLAIN.exec(text)?.[0] ?? '';
    if (plain !== '') {
      at += plain.length;
      const word = plain.trimEnd();
      if (word === '') continue;
      says = true;
      before = word.at(-1) as string;
      continue;
    }
    const character = text[at] as string;
    const skipped = skipComment(text, at);
    if (skipped === -1) return stop('comment');
    if (skipped > at) {
      at = skipped;
      continue;
    }
    if (character === ';' && depth === 0) {
      if (says) statements.push(text.slice(from, at).trim());
      from = at + 1;
      says = false;
    } else says = true;
    const quote = QUOTES[character];
    if (quote !== undefined) {
      const [close, open] = quote;
      const end = closeOf(text, at + 1, close);
      if (end === -1) return stop(open);
      at = end;
    } else if (character === '/' && BEFORE_REGEX.includes(before)) at = regexEnd(text, at);
    else if (OPENING.includes(character)) depth++;
    else if (CLOSING.includes(character)) depth = Math.max(0, depth - 1);
    before = character;
    at++;
  }
  return stop(depth > 0 ? 'bracket' : says ? 'statement' : undefined);
}

/** The first word of a statement in upper case, after blanks and comments: `SELECT`. */
export function firstWord(statement: string): string {
  let at = 0;
  for (;;) {
    const skipped = skipComment(statement, at);
    if (skipped === -1) return '';
    if (skipped > at) at = skipped;
    else if (/\s/.test(statement[at] ?? '')) at++;
    else break;
  }
  return /^\w*/.exec(statement.slice(at, at + 24))?.[0].toUpperCase() ?? '';
}

/** Statements in one line, as a history keeps them; `undefined` where a line break means something. */
export function inOneLine(text: string): string | undefined {
  const lines = text.split('\n');
  for (let count = 1; count < lines.length; count++) {
    const above = readStatements(lines.slice(0, count).join('\n'));
    if (above.open === 'string' || above.open === 'name' || above.open === 'comment') return undefined;
    if (endsInComment(lines[count - 1] as string)) return undefined;
  }
  return lines.map((line) => line.trim()).join(' ');
}

/** A comment to the end of the line would swallow the next one; a doubt counts. */
function endsInComment(line: string): boolean {
  return /--|#|\/\//.test(line);
}

/** The offset behind a comment that begins at `at`; `at` if none does, -1 if it has no end. */
function skipComment(text: string, at: number): number {
  if (!'-/#'.includes(text[at] ?? ' ')) return at;
  const two = text.slice(at, at + 2);
  if (two === '/*') {
    const end = text.indexOf('*/', at + 2);
    return end === -1 ? -1 : end + 2;
  }
  if (two !== '--' && two !== '//' && text[at] !== '#') return at;
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** Where a string ends, escapes left out; -1 if it doesn't. */
function closeOf(text: string, from: number, close: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === close) return at;
  }
  return -1;
}

/** Where a regular expression ends; where it begins if its line has no end for it, since it is none then. */
function regexEnd(text: string, start: number): number {
  const line = text.slice(start, text.indexOf('\n', start) === -1 ? text.length : text.indexOf('\n', start));
  const end = closeOf(line, 1, '/');
  return end === -1 ? start : start + end;
}
