/**
 * The width of texts in columns of a terminal: none for combining marks, two for wide
 * characters.
 */
const NARROW = /^[\x20-\x7e]*$/;
const ZERO = /[\p{Mn}\p{Me}\p{Cf}]/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** Columns that a text takes in a terminal: East Asian wide characters take two, combining marks none. */
export function displayWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

/** The text, cut so that it takes at most `width` columns, with `…` in place of what is missing. */
export function cutToWidth(text: string, width: number): string {
  if (text.length <= width && NARROW.test(text)) return text;
  let taken = 0;
  let kept = '';
  let end = 0;
  for (const character of text) {
    taken += widthOf(character);
    if (taken > width) return `${kept.slice(0, end)}…`;
    kept += character;
    // One column stays for the mark.
    if (taken < width) end = kept.length;
  }
  return text;
}

function widthOf(character: string): number {
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
