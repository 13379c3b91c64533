/** The ways of access methods of TYPE RECORD: `WITH MAIL CODE, LINK`. One that is forgotten doesn't compile. */

import { type ObjectValue, objectFrom } from '../../value/value.js';
import { type AccessWay, MAIL_FORMS, type MailForm } from '../ast.js';
import type { Parser } from '../parser/parser.js';

interface WayRow<W extends AccessWay> {
  /** The word behind WITH. */
  readonly word: string;
  /** Reads what follows the word. */
  parse(parser: Parser): W;
  text(way: W): string;
  structure(way: W): ObjectValue;
}

const WAYS: { readonly [K in AccessWay['kind']]: WayRow<Extract<AccessWay, { readonly kind: K }>> } = {
  mail: {
    word: 'MAIL',
    parse: (parser) => ({ kind: 'mail', forms: mailForms(parser) }),
    text: ({ forms }) => forms.map((form) => form.toUpperCase()).join(', '),
    structure: ({ forms }) => objectFrom({ forms: forms.map((form) => form.toUpperCase()) }),
  },
};

/** A way, if its word is next. */
export function acceptWay(parser: Parser): AccessWay | undefined {
  return Object.values(WAYS)
    .find(({ word }) => parser.acceptWord(word))
    ?.parse(parser);
}

export function wayText(way: AccessWay): string {
  const { word, text } = WAYS[way.kind];
  return `WITH ${word} ${text(way)}`;
}

/** `{ kind: 'MAIL', forms: ['CODE', 'LINK'] }` */
export function shownWay(way: AccessWay): ObjectValue {
  const { word, structure } = WAYS[way.kind];
  return objectFrom({ kind: word, ...structure(way) });
}

function mailForms(parser: Parser): readonly MailForm[] {
  const read = parser.commaList(
    () => MAIL_FORMS.find((form) => parser.acceptWord(form.toUpperCase())) ?? parser.unexpected('CODE or LINK'),
  );
  return MAIL_FORMS.filter((form) => read.includes(form));
}
