/** Spares requests with HTTP Basic a password hash each, without keeping a password. */
import { createHmac } from 'node:crypto';
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import type { Environment } from '../../env/environment.js';

const CAPACITY = 1_024;
const LIFETIME_MILLISECONDS = 5 * 60 * 1000;

/**
 * Caches for a few minutes which passwords matched which hashes, so that clients of HTTP Basic don't cost a password
 * hash per request.
 *
 * Entries are keyed digests (HMAC) under a key that never leaves the process. A changed password changes the hash and
 * thus misses; failures are never cached and always cost a full hash.
 */
export class VerifiedCredentials {
  readonly #environment: Environment;
  readonly #key: Uint8Array;
  readonly #verifiedAt = new TwoGenerationCache<string, number>(CAPACITY);
  /** Verifications that run. The hasher bounds how many. */
  readonly #running = new Map<string, Promise<boolean>>();

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#key = environment.random.bytes(32);
  }

  has(hash: string, password: string): boolean {
    const digest = this.#digest(hash, password);
    const verifiedAt = this.#verifiedAt.get(digest);
    if (verifiedAt === undefined) return false;
    if (this.#environment.clock.monotonic() - verifiedAt < LIFETIME_MILLISECONDS) return true;
    this.#verifiedAt.delete(digest);
    return false;
  }

  /**
   * Verifies a password, and remembers that it matched. Attempts with the same one that come meanwhile get the same
   * outcome, since clones of a client all sign in at once. Those for unknown users must share theirs, too: otherwise
   * the times of two attempts would set them apart.
   * @param hash a text that is no hash for an unknown user
   */
  async verify(hash: string, password: string, work: () => Promise<boolean>): Promise<boolean> {
    const digest = this.#digest(hash, password);
    const running = this.#running.get(digest) ?? work().finally(() => this.#running.delete(digest));
    this.#running.set(digest, running);
    const matches = await running;
    if (matches) this.#verifiedAt.set(digest, this.#environment.clock.monotonic());
    return matches;
  }

  #digest(hash: string, password: string): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([hash, password]))
      .digest('base64');
  }
}
