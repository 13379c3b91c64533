/** Classes of characters, and the operators and delimiters of the language. */

export const LETTER = 1;
export const DIGIT = 2;
export const BLANK = 4;

/** Classes of ASCII characters. */
export const CLASS = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  if ((code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95) CLASS[code] = LETTER;
  else if (code >= 48 && code <= 57) CLASS[code] = DIGIT;
  else if (code === 32 || (code >= 9 && code <= 13)) CLASS[code] = BLANK;
}

/** The operators by their first character, longest first. */
export const PUNCTUATION = new Map<number, readonly string[]>();
for (const text of (
  '( ) [ ] { } , ; : :: . .. ... ..= @ $ ? ?? ?: ?= ?~ ! !! != !~ ~ = == * ** *= *~ + += +?= - -> -= / % ' +
  '< <= <- <-> <~ <| > >= >.. >..= | || |> &&'
).split(' ')) {
  const code = text.charCodeAt(0);
  const same = [...(PUNCTUATION.get(code) ?? []), text].sort((a, b) => b.length - a.length);
  PUNCTUATION.set(code, same);
}

/** Operators beyond ASCII and their ASCII equivalents: a keyword where the operator is one. */
export const SYMBOLS: Readonly<Record<string, string>> = {
  '…': '...',
  '×': '*',
  '÷': '/',
  '∈': 'INSIDE',
  '∉': 'NOTINSIDE',
  '∋': 'CONTAINS',
  '∌': 'CONTAINSNOT',
  '⊇': 'CONTAINSALL',
  '⊃': 'CONTAINSANY',
  '⊅': 'CONTAINSNONE',
  '⊆': 'ALLINSIDE',
  '⊂': 'ANYINSIDE',
  '⊄': 'NONEINSIDE',
};
