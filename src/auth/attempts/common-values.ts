/**
 * Values of sign-in variables with which many accounts have signed in, such as the name of a company or the kind of a
 * device: these name no account.
 */
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import { xxh32 } from '../../base/xxh32.js';

/** Linear counting (Whang et al., 1990): an account sets one bit, and some 64 accounts set `MANY` of 256. */
const BITS = 256;
const MANY = 57;

export class CommonValues {
  /** Bits by the keys of variables; those that were used last. */
  readonly #accounts: TwoGenerationCache<string, Uint8Array>;

  constructor(capacity: number) {
    this.#accounts = new TwoGenerationCache(capacity);
  }

  /** An account has signed in with a value. */
  add(value: string, account: string): void {
    const bits = this.#accounts.get(value) ?? new Uint8Array(BITS / 8);
    const bytes = Buffer.from(account);
    const bit = (xxh32(bytes, 0, bytes.length, 0) >>> 0) % BITS;
    bits[bit >> 3] = (bits[bit >> 3] as number) | (1 << (bit & 7));
    this.#accounts.set(value, bits);
  }

  /** Whether some 64 accounts have signed in with it, or more. */
  has(value: string): boolean {
    const bits = this.#accounts.get(value);
    if (bits === undefined) return false;
    let set = 0;
    for (let bit = 0; bit < BITS; bit++) if (((bits[bit >> 3] as number) >> (bit & 7)) & 1) set++;
    return set >= MANY;
  }
}
