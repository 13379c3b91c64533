/** The ways of access methods of TYPE RECORD, such as `WITH MAIL CODE, LINK`. One that is forgotten doesn't compile. */

import type { ObjectValue } from '../../value/value.js';
import { type AccessWay, MAIL_FORMS, type MailForm } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import type { Printer } from '../printer/printer.js';
import { shownObject } from './clause.js';
import { PASSKEY } from './passkey-way.js';
import { OAUTH, OIDC } from './provider-ways.js';
import type { WayGrammar } from './way-row.js';

const WAYS: { readonly [K in AccessWay['kind']]: WayGrammar<Extract<AccessWay, { readonly kind: K }>> } = {
  mail: {
    words: ['MAIL'],
    usesSignin: true,
    parse: (parser) => ({ kind: 'mail', forms: mailForms(parser) }),
    text: ({ forms }) => forms.map((form) => form.toUpperCase()).join(', '),
    structure: ({ forms }) => ({ forms: forms.map((form) => form.toUpperCase()) }),
  },
  oidc: OIDC,
  oauth: OAUTH,
  passkey: PASSKEY,
  totp: {
    words: ['TOTP'],
    usesSignin: false,
    isSecond: true,
    parse: () => ({ kind: 'totp' }),
    text: () => '',
    structure: () => ({}),
  },
  recovery: {
    words: ['RECOVERY', 'CODES'],
    usesSignin: false,
    isSecond: true,
    parse: (parser) => ({ kind: 'recovery', codes: recoveryCodes(parser) }),
    text: ({ codes }) => (codes === DEFAULT_CODES ? '' : String(codes)),
    structure: ({ codes }) => ({ codes }),
  },
};

const DEFAULT_CODES = 10;
const MOST_CODES = 100;

function recoveryCodes(parser: Parser): number {
  if (parser.kind !== 'number') return DEFAULT_CODES;
  if (Number(parser.text) < 1) parser.unexpected(`a number from 1 to ${MOST_CODES}`);
  return parser.natural('a number', MOST_CODES);
}

/** The row takes ways of its kind, which a lookup by a kind known only in general can't tell the compiler. */
function rowOf({ kind }: AccessWay): WayGrammar<AccessWay> {
  return WAYS[kind] as WayGrammar<AccessWay>;
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

/** Whether the proofs of a way are for the record that SIGNIN answers. */
export function wayUsesSignin(way: AccessWay): boolean {
  return rowOf(way).usesSignin;
}

/** Whether a way only completes what another has begun. */
export function isSecondWay(way: AccessWay): boolean {
  return rowOf(way).isSecond === true;
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
