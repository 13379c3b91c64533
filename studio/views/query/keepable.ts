/** What of the queries may be kept by the browser. */

/** Characters; longer ones aren't kept. */
const LONGEST_TEXT = 20_000;

const SECRET = /\b(pass(word|hash|phrase)?|secret|token|key|sign(in|up)|bearer|jwt|totp|grant|eyJ\w*)\b/i;

/** Whether a text may be kept: none of its names, nor a part of one such as `userPassword`, speaks of a secret. */
export function isKeepable(text: string): boolean {
  if (text.trim() === '' || text.length > LONGEST_TEXT) return false;
  const parts = text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
  return !SECRET.test(text) && !SECRET.test(parts);
}
