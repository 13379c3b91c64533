/** Progress on a line of a terminal, which is overwritten. */
import { Transform } from 'node:stream';
import { realEnvironment } from '../env/real.js';

/** Milliseconds from one drawing to the next. */
const PACE = 100;
const WIDTH = 30;

export class Progress {
  readonly #verb: string;
  readonly #terminal: (NodeJS.WritableStream & { readonly isTTY?: boolean }) | undefined;
  readonly #total: number | undefined;
  #done = 0;
  #drawn = Number.NEGATIVE_INFINITY;

  /** Shows nothing where `stream` is no terminal. */
  constructor(verb: string, stream: NodeJS.WritableStream & { readonly isTTY?: boolean }, total?: number) {
    this.#verb = verb;
    this.#terminal = stream.isTTY === true ? stream : undefined;
    this.#total = total;
  }

  add(bytes: number): void {
    this.#done += bytes;
    const now = realEnvironment.clock.monotonic();
    if (this.#terminal === undefined || now - this.#drawn < PACE) return;
    this.#drawn = now;
    this.#draw();
  }

  end(): void {
    this.#draw();
    this.#terminal?.write('\n');
  }

  #draw(): void {
    this.#terminal?.write(`\r${this.#bar()}${this.#verb} ${megabytes(this.#done)}${this.#ofTotal()}\x1b[K`);
  }

  #bar(): string {
    if (this.#total === undefined) return '';
    const part = this.#total === 0 ? 1 : Math.min(1, this.#done / this.#total);
    const filled = Math.round(part * WIDTH);
    return `[${'='.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${Math.floor(part * 100)}% `;
  }

  #ofTotal(): string {
    return this.#total === undefined ? '' : ` of ${megabytes(this.#total)}`;
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** A stream that passes data on and counts it. */
export function countingBytes(progress: Progress): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      progress.add(chunk.length);
      done(null, chunk);
    },
  });
}
