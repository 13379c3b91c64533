/** Passwords that were verified lately, for clients that send one with each request. */
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

  add(hash: string, password: string): void {
    this.#verifiedAt.set(this.#digest(hash, password), this.#environment.clock.monotonic());
  }

  #digest(hash: string, password: string): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([hash, password]))
      .digest('base64');
  }
}
