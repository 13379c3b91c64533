/** A code that the server issues itself: shown once, valid once, and for a limited time. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Environment } from '../env/environment.js';
import { failure } from '../errors/error.js';

/** Bytes; 128 bits can't be guessed. */
const CODE_LENGTH = 16;

export class OneTimeCode {
  readonly #clock: Environment['clock'];
  readonly #digest: Buffer;
  readonly #endsAt: number;
  #isRedeemed = false;

  private constructor(clock: Environment['clock'], digest: Buffer, endsAt: number) {
    this.#clock = clock;
    this.#digest = digest;
    this.#endsAt = endsAt;
  }

  /** Draws a code that is valid for `lifetime` milliseconds. Only its digest is kept: `text` has to be shown now. */
  static issue(
    { clock, random }: Pick<Environment, 'clock' | 'random'>,
    lifetime: number,
  ): { readonly code: OneTimeCode; readonly text: string } {
    const text = Buffer.from(random.bytes(CODE_LENGTH)).toString('hex');
    return { code: new OneTimeCode(clock, digestOf(text), clock.monotonic() + lifetime), text };
  }

  /** Whether it may still be redeemed. */
  get isValid(): boolean {
    return !this.#isRedeemed && this.#clock.monotonic() < this.#endsAt;
  }

  /**
   * Uses the code up. Comparing takes the same time for every text.
   * @throws TesseraError `setup_closed` if it is no longer valid, `setup_code_wrong`
   */
  redeem(text: string): void {
    if (!this.isValid) throw failure('setup_closed');
    if (!timingSafeEqual(digestOf(text), this.#digest)) throw failure('setup_code_wrong');
    this.#isRedeemed = true;
  }

  /** What it was redeemed for has failed: it may be redeemed again while its time lasts. */
  restore(): void {
    this.#isRedeemed = false;
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
