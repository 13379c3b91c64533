/** The limit on results that are larger than their arguments, so that no short call fills the memory. */
import { failure } from '../../errors/error.js';

/** In bytes of UTF-8 for texts. */
export const MAX_OUTPUT = 1_048_576;
/** Items of a generated array. The reference engine counts 56 bytes for each. */
const MAX_ITEMS = Math.ceil(MAX_OUTPUT / 56);
/**
 * Items that a function may copy into its result from several places or over and over (all pairs, overlapping windows).
 */
const MAX_COPIES = 2 ** 17;

function tooLarge(name: string): never {
  throw failure('invalid_arguments', { name, reason: `Output must not exceed ${MAX_OUTPUT} bytes.` });
}

/** @throws TesseraError `invalid_arguments` if a text of `length` code units can't be within the limit. */
export function checkLength(name: string, length: number): void {
  if (!(length <= MAX_OUTPUT)) tooLarge(name);
}

/** The text, if its bytes are within the limit. */
export function limitedText(name: string, text: string): string {
  // No character needs more than three bytes for each of its code units.
  if (text.length * 3 > MAX_OUTPUT && Buffer.byteLength(text) > MAX_OUTPUT) tooLarge(name);
  return text;
}

/** @throws TesseraError `invalid_arguments` if so many items may not be generated. */
export function checkItems(name: string, count: number): void {
  if (!(count <= MAX_ITEMS)) tooLarge(name);
}

/** @throws TesseraError `invalid_arguments` if so many items may not be copied. */
export function checkCopies(name: string, count: number): void {
  if (!(count <= MAX_COPIES)) tooLarge(name);
}
