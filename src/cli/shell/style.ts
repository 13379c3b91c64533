/** Colours, and texts that are fit for a terminal. */

export const COLORS = {
  text: '32',
  number: '33',
  constant: '35',
  record: '36',
  time: '34',
  error: '31',
  dim: '2',
} as const;
export type Color = keyof typeof COLORS;

export interface Style {
  /** Whether the output is a terminal: control characters are then removed, and long values indented. */
  readonly isTerminal: boolean;
  readonly color: boolean;
  /** Columns of the terminal, as far as they are known. */
  readonly width: number;
  readonly pretty: boolean;
  readonly json: boolean;
  /** Lists of objects as tables. */
  readonly table: boolean;
}

interface StyleOptions {
  readonly color?: boolean;
  readonly pretty?: boolean;
  readonly json?: boolean;
  readonly table?: boolean;
}

interface Sink {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const USUAL_WIDTH = 80;

/** `NO_COLOR` is what https://no-color.org asks for. */
export function styleOf(
  { color = true, pretty = false, json = false, table = false }: StyleOptions,
  { isTTY = false, columns }: Sink,
  environment: Readonly<Record<string, string | undefined>>,
): Style {
  const colorful = color && isTTY && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
  return { isTerminal: isTTY, color: colorful, width: columns || USUAL_WIDTH, pretty, json, table };
}

/** The text in a color (ANSI escapes), or unchanged if the terminal has none. */
export function paint(style: Style, color: Color, text: string): string {
  return style.color ? `\x1b[${COLORS[color]}m${text}\x1b[0m` : text;
}

/** Control and bidirectional characters, except for line breaks and tabs. */
const ACTIVE = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** A text that is safe for a terminal: stored control sequences are neutralized. */
export function escapeControls(style: Style, text: string): string {
  if (!style.isTerminal) return text;
  return text.replace(ACTIVE, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);
}
