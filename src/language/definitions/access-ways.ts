/** The ways of access methods of TYPE RECORD: `WITH MAIL CODE, LINK`. One that is forgotten doesn't compile. */

import type { ObjectValue } from '../../value/value.js';
import { type AccessWay, MAIL_FORMS, type MailForm } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import type { Printer } from '../printer/printer.js';
import { type ShownMembers, shownObject } from './clause.js';
import { parsePasskeyWay, passkeyWayStructure, passkeyWayText } from './passkey-way.js';

/** The grammar of a way. */
interface WayRow<W extends AccessWay> {
  /** The words behind WITH. */
  readonly words: readonly [string, ...string[]];
  /** Reads what follows the words. */
  parse(parser: Parser): W;
  /** What follows the words; secrets only where the printer shows them. */
  text(way: W, printer: Printer): string;
  /** Without secrets. */
  structure(way: W): ShownMembers;
  /** The secrets that it holds, which must not be the text by which they are redacted. */
  secrets?(way: W): readonly string[];
}

const WAYS: { readonly [K in AccessWay['kind']]: WayRow<Extract<AccessWay, { readonly kind: K }>> } = {
  mail: {
    words: ['MAIL'],
    parse: (parser) => ({ kind: 'mail', forms: mailForms(parser) }),
    text: ({ forms }) => forms.map((form) => form.toUpperCase()).join(', '),
    structure: ({ forms }) => ({ forms: forms.map((form) => form.toUpperCase()) }),
  },
  passkey: {
    words: ['PASSKEY'],
    parse: parsePasskeyWay,
    text: passkeyWayText,
    structure: passkeyWayStructure,
  },
};

/** The row takes ways of its kind, which a lookup by a kind known only in general can't tell the compiler. */
function rowOf({ kind }: AccessWay): WayRow<AccessWay> {
  return WAYS[kind] as WayRow<AccessWay>;
}

/** A way, if its word is next. */
export function acceptWay(parser: Parser): AccessWay | undefined {
  const row = Object.values(WAYS).find(({ words: [first] }) => parser.acceptWord(first));
  for (const word of row?.words.slice(1) ?? []) parser.expectWord(word);
  return row?.parse(parser);
}

export function wayText(way: AccessWay, printer: Printer): string {
  const { words, text } = rowOf(way);
  return ['WITH', ...words, text(way, printer)].filter((part) => part !== '').join(' ');
}

/** `{ kind: 'MAIL', forms: ['CODE', 'LINK'] }` */
export function shownWay(way: AccessWay): ObjectValue {
  const { words, structure } = rowOf(way);
  return shownObject({ kind: words.join(' '), ...structure(way) });
}

/** The secrets of a way, such as those of its client at a provider. */
export function waySecrets(way: AccessWay): readonly string[] {
  return rowOf(way).secrets?.(way) ?? [];
}

function mailForms(parser: Parser): readonly MailForm[] {
  const read = parser.commaList(
    () => MAIL_FORMS.find((form) => parser.acceptWord(form.toUpperCase())) ?? parser.unexpected('CODE or LINK'),
  );
  return MAIL_FORMS.filter((form) => read.includes(form));
}
