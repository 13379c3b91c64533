/** The digests of uploads as far as their bytes have come, in the process that has had them. */
import { createHash, type Hash } from 'node:crypto';
import { TwoGenerationCache } from '../../base/two-generation-cache.js';

/** Uploads whose digests are kept; of others the bytes are read again at their end. */
const KEPT = 1_000;

export class RunningDigests {
  readonly #known = new TwoGenerationCache<string, { readonly offset: number; readonly hash: Hash }>(KEPT);

  /** A hash that has had the bytes of an upload up to an offset; `undefined` if this process hasn't. */
  at(upload: string, offset: number): Hash | undefined {
    if (offset === 0) return createHash('sha256');
    const known = this.#known.get(upload);
    return known?.offset === offset ? known.hash.copy() : undefined;
  }

  keep(upload: string, offset: number, hash: Hash): void {
    this.#known.set(upload, { offset, hash: hash.copy() });
  }
}
