import type { Clock } from '../../env/environment.js';

/** How long a session may go on: until what let somebody in expires, or until nobody has used it for too long. */
export class Lifetime {
  readonly #clock: Clock;
  /** In nanoseconds since 1970. */
  #expiresAt: bigint | undefined;
  /** For how many milliseconds nobody need use it. */
  #idle: number | undefined;
  /** When it was last used, by the clock that only goes on. */
  #used = 0;
  /** When something was last asked of it, by its client or on its behalf. */
  #asked = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** It goes on anew, without end where neither is told. */
  begin(expiresAt: bigint | undefined, idle: number | undefined): void {
    this.#expiresAt = expiresAt;
    this.#idle = idle;
    this.#used = this.#clock.monotonic();
  }

  end(): void {
    this.#expiresAt = 0n;
  }

  /** Notes a request; one that nobody has asked for just now is no use. */
  use(background: boolean): void {
    this.#asked = this.#clock.monotonic();
    if (!background) this.#used = this.#asked;
  }

  get expiresAt(): bigint | undefined {
    return this.#expiresAt;
  }

  /** When it was last used, in nanoseconds since 1970. */
  get usedAt(): bigint {
    return this.#clock.now() - BigInt(Math.round((this.#clock.monotonic() - this.#used) * 1e6));
  }

  /** When something was last asked of it, by the clock that only goes on. */
  get askedAt(): number {
    return this.#asked;
  }

  /** Milliseconds until it is over, unless it is used meanwhile. */
  get remaining(): number {
    const left =
      this.#expiresAt === undefined ? Number.POSITIVE_INFINITY : Number(this.#expiresAt - this.#clock.now()) / 1e6;
    return this.#idle === undefined ? left : Math.min(left, this.#used + this.#idle - this.#clock.monotonic());
  }

  get isOver(): boolean {
    return this.remaining <= 0;
  }
}
