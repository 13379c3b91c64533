/** The last lines of the log, for `GET /log`: as they were written, and so without secrets. */

const MOST_LINES = 1_000;
const MOST_BYTES = 1024 * 1024;

export class RecentLines {
  #lines: string[] = [];
  #bytes = 0;

  /** Keeps a line with its end, instead of the oldest. One that is longer than all may be isn't kept. */
  add(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (bytes > MOST_BYTES) return;
    this.#lines.push(line);
    this.#bytes += bytes;
    let dropped = 0;
    while (this.#lines.length - dropped > MOST_LINES || this.#bytes > MOST_BYTES) {
      this.#bytes -= Buffer.byteLength(this.#lines[dropped++] ?? '');
    }
    if (dropped > 0) this.#lines = this.#lines.slice(dropped);
  }

  /** All of them, the oldest first. */
  text(): string {
    return this.#lines.join('');
  }
}
