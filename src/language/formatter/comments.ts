/** The comments between two tokens: those that stand behind the first on its line, and those on lines of their own. */

export interface Comment {
  /** Where it stands in the source. */
  readonly start: number;
  /** Without the blanks around it. */
  readonly text: string;
  /** Whether it reaches to the end of its line. */
  readonly isLine: boolean;
  /** Whether an empty line stands before it. */
  readonly isParagraph: boolean;
}

export interface Gap {
  readonly behind: readonly Comment[];
  readonly own: readonly Comment[];
  /** Whether there is anything, and whether an empty line stands before what follows. */
  readonly isApart: boolean;
  readonly isParagraph: boolean;
}

const COMMENT = /\/\*[\s\S]*?\*\/|(?:--|\/\/|#)[^\n]*/y;
const TIGHT: Gap = { behind: [], own: [], isApart: false, isParagraph: false };

/** `isFirst`: nothing stands before the gap, so that all of its comments are on lines of their own. */
export function commentsBetween(source: string, from: number, to: number, isFirst: boolean): Gap {
  if (from === to) return TIGHT;
  const behind: Comment[] = [];
  const own: Comment[] = [];
  let lines = isFirst ? 1 : 0;
  let sinceComment = 0;
  for (let at = from; at < to; ) {
    COMMENT.lastIndex = at;
    const found = COMMENT.exec(source)?.[0];
    if (found === undefined) {
      if (source[at] === '\n') {
        lines++;
        sinceComment++;
      }
      at++;
      continue;
    }
    const isLine = !found.startsWith('/*');
    const comment = { start: at, text: found.trimEnd(), isLine, isParagraph: sinceComment > 1 };
    (lines === 0 ? behind : own).push(comment);
    sinceComment = 0;
    at += found.length;
  }
  return { behind, own, isApart: true, isParagraph: sinceComment > 1 };
}
