/** How many contents are being stored at once: each holds a part of its bytes, and space until it is put. */
import { failure } from '../../errors/error.js';

/** All of them: a part of 16 MiB each, in an object store. */
const MOST = 32;
/** Those of one user. */
const MOST_OF_USER = 8;

export class UploadsAtOnce {
  readonly #byHolder = new Map<string, number>();
  #all = 0;

  /** How many there are now. */
  get count(): number {
    return this.#all;
  }

  /** Runs an upload. @throws TesseraError `too_many_uploads` */
  async run<T>(holder: string, upload: () => Promise<T>): Promise<T> {
    const own = this.#byHolder.get(holder) ?? 0;
    if (own >= MOST_OF_USER) throw failure('too_many_uploads', { most: MOST_OF_USER, whose: 'of yours' });
    if (this.#all >= MOST) throw failure('too_many_uploads', { most: MOST, whose: 'to this server' });
    this.#all++;
    this.#byHolder.set(holder, own + 1);
    try {
      return await upload();
    } finally {
      this.#all--;
      const left = (this.#byHolder.get(holder) ?? 1) - 1;
      if (left === 0) this.#byHolder.delete(holder);
      else this.#byHolder.set(holder, left);
    }
  }
}
