/** A part of a text as UTF-16 code units, in memory that is used over and over. */
import { Buffer } from 'node:buffer';

const FIRST_UNITS = 16_384;

/**
 * Elements of an array are read in a fraction of the time that `charCodeAt` takes, which looks at the kind of its string
 * each time: to divide a text of 367 characters takes 1.2 µs rather than 4.
 */
export class TextUnits {
  units = new Uint16Array(FIRST_UNITS);
  /** Where in the text the first of them stands. */
  from = 0;
  #bytes = Buffer.from(this.units.buffer);

  /** Has a part of a text in `units`, until the next call. */
  load(text: string, from: number, to: number): void {
    if (to - from > this.units.length) {
      this.units = new Uint16Array(2 * (to - from));
      this.#bytes = Buffer.from(this.units.buffer);
    }
    this.from = from;
    // Node runs on processors with the low byte first alone.
    this.#bytes.write(to - from === text.length ? text : text.slice(from, to), 'utf16le');
  }
}
