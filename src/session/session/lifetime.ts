/** The lifetime of a session: until its credentials expire, or its idle timeout has passed. */
import type { Clock } from '../../env/environment.js';

/**
 * Milliseconds between two readings of the wall clock, which may be adjusted: reading it costs as much as looking up a
 * key.
 */
const WALL_CLOCK_CHECK = 1_000;

export class Lifetime {
  readonly #clock: Clock;
  /** Nanoseconds since 1970; `undefined`: never. */
  expiresAt: bigint | undefined;
  /** Idle timeout in milliseconds. */
  #idle: number | undefined;
  /** Time of the last use, on the monotonic clock. */
  #used = 0;
  /** Time of the last request, background ones included, on the monotonic clock. */
  askedAt = 0;
  /** Until when the credentials are valid by the last reading of the wall clock, on the monotonic clock. */
  #validUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Restarts the lifetime; `undefined` means no limit. */
  begin(expiresAt: bigint | undefined, idle: number | undefined): void {
    this.expiresAt = expiresAt;
    this.#idle = idle;
    this.#used = this.#clock.monotonic();
    this.#validUntil = 0;
  }

  end(): void {
    this.expiresAt = 0n;
    this.#validUntil = 0;
  }

  /** Records a request at `now` by the monotonic clock; a background request doesn't reset the idle timeout. */
  use(background: boolean, now: number): void {
    this.askedAt = now;
    if (!background) this.#used = now;
  }

  /** Time of the last use, in nanoseconds since 1970. */
  get usedAt(): bigint {
    return this.#clock.now() - BigInt(Math.round((this.#clock.monotonic() - this.#used) * 1e6));
  }

  /** Milliseconds until it ends, unless it is used meanwhile. */
  get remaining(): number {
    const left =
      this.expiresAt === undefined ? Number.POSITIVE_INFINITY : Number(this.expiresAt - this.#clock.now()) / 1e6;
    return this.#idle === undefined ? left : Math.min(left, this.#used + this.#idle - this.#clock.monotonic());
  }

  get isOver(): boolean {
    return this.isOverAt(this.#clock.monotonic());
  }

  /** The same, where `now` by the monotonic clock is known. */
  isOverAt(now: number): boolean {
    if (this.#idle !== undefined && now >= this.#used + this.#idle) return true;
    if (this.expiresAt === undefined || now < this.#validUntil) return false;
    const left = Number(this.expiresAt - this.#clock.now()) / 1e6;
    this.#validUntil = now + Math.min(left, WALL_CLOCK_CHECK);
    return left <= 0;
  }
}
