import type { Clock } from '../../env/environment.js';

/** The lifetime of a session: until its credentials expire, or its idle timeout has passed. */
export class Lifetime {
  readonly #clock: Clock;
  /** Nanoseconds since 1970; `undefined`: never. */
  #expiresAt: bigint | undefined;
  /** Idle timeout in milliseconds. */
  #idle: number | undefined;
  /** Time of the last use, on the monotonic clock. */
  #used = 0;
  /** Time of the last request, background ones included, on the monotonic clock. */
  #asked = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Restarts the lifetime; `undefined` means no limit. */
  begin(expiresAt: bigint | undefined, idle: number | undefined): void {
    this.#expiresAt = expiresAt;
    this.#idle = idle;
    this.#used = this.#clock.monotonic();
  }

  end(): void {
    this.#expiresAt = 0n;
  }

  /** Records a request; a background request doesn't reset the idle timeout. */
  use(background: boolean): void {
    this.#asked = this.#clock.monotonic();
    if (!background) this.#used = this.#asked;
  }

  get expiresAt(): bigint | undefined {
    return this.#expiresAt;
  }

  /** Time of the last use, in nanoseconds since 1970. */
  get usedAt(): bigint {
    return this.#clock.now() - BigInt(Math.round((this.#clock.monotonic() - this.#used) * 1e6));
  }

  /** Time of the last request, on the monotonic clock. */
  get askedAt(): number {
    return this.#asked;
  }

  /** Milliseconds until it ends, unless it is used meanwhile. */
  get remaining(): number {
    const left =
      this.#expiresAt === undefined ? Number.POSITIVE_INFINITY : Number(this.#expiresAt - this.#clock.now()) / 1e6;
    return this.#idle === undefined ? left : Math.min(left, this.#used + this.#idle - this.#clock.monotonic());
  }

  get isOver(): boolean {
    return this.remaining <= 0;
  }
}
