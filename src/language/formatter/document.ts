/**
 * A text with the places where its lines may break, and its layout within a width, as pretty printers do it: a
 * group stands on one line if it fits there, else it breaks at all places of its own.
 */

export type Doc =
  | string
  /** The text of a token as it is, perhaps of several lines. */
  | { readonly kind: 'verbatim'; readonly text: string }
  /** A comment. One on a line of its own, or up to the end of its line, has a line break behind it. */
  | { readonly kind: 'comment'; readonly text: string; readonly isOwn: boolean; readonly isLine: boolean }
  /** Where the group may break; `flat` is what stands there if it doesn't. */
  | { readonly kind: 'line'; readonly flat: '' | ' ' }
  /** Breaks only if what follows up to the next one, so many characters, doesn't fit on the line. */
  | { readonly kind: 'fill'; readonly next: number }
  /** Breaks always. */
  | { readonly kind: 'break'; readonly isParagraph: boolean }
  | { readonly kind: 'concat'; readonly parts: readonly Doc[]; readonly isBroken: boolean }
  | { readonly kind: 'indent'; readonly doc: Doc; readonly isBroken: boolean }
  | BreakingGroup;

export interface BreakingGroup {
  readonly kind: 'group';
  readonly doc: Doc;
  readonly isBroken: boolean;
  readonly hugging: Hugging | undefined;
}

/** A group that breaks within one part alone, tried if it doesn't fit on one line, before it breaks itself. */
export interface Hugging {
  readonly head: Doc;
  readonly last: Doc;
  readonly tail: Doc;
}

export function concat(parts: readonly Doc[]): Doc {
  return { kind: 'concat', parts, isBroken: parts.some(isBroken) };
}

export function indent(doc: Doc): Doc {
  return { kind: 'indent', doc, isBroken: isBroken(doc) };
}

export function group(doc: Doc, hugging?: Hugging): Doc {
  return { kind: 'group', doc, isBroken: isBroken(doc), hugging };
}

export function line(flat: '' | ' '): Doc {
  return { kind: 'line', flat };
}

export function lineBreak(isParagraph: boolean): Doc {
  return { kind: 'break', isParagraph };
}

/** Whether it takes more than one line in any case. */
export function isBroken(doc: Doc): boolean {
  if (typeof doc === 'string') return false;
  switch (doc.kind) {
    case 'verbatim':
      return doc.text.includes('\n');
    case 'comment':
      return doc.isOwn || doc.isLine || doc.text.includes('\n');
    case 'break':
      return true;
    case 'line':
    case 'fill':
      return false;
    default:
      return doc.isBroken;
  }
}
