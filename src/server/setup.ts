/** Setting up a fresh server in the Studio: the first root user, made with a code that the server prints. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Throttle } from '../auth/attempts/throttle.js';
import { isLoopbackHost } from '../base/loopback.js';
import type { Environment } from '../env/environment.js';
import { realEnvironment } from '../env/real.js';
import { asTesseraError, failure } from '../errors/error.js';
import type { Setup, SetupRequest } from '../http/base/setup.js';
import { permits } from '../rpc/capabilities.js';
import type { Origin } from '../session/contract.js';
import type { OpenDatabase } from '../session/database/database.js';
import { readStoreAddress } from '../storage/address.js';
import { printsBanner } from './banner.js';
import type { Configuration } from './configuration.js';
import { makeRootUser } from './first-user.js';

const CODE_LIFETIME = 60 * 60 * 1000;

/** The account under which failed attempts are counted. */
const ACCOUNT = 'setup';

/**
 * Whether a server offers it: one that listens on loopback without a proxy, prints its banner, where the code is, and
 * is the only process and the only node of its store.
 */
export function offersSetup(configuration: Configuration): boolean {
  const { bind, clientIp, workers, path, unauthenticated, allowHttp, denyHttp } = configuration;
  return (
    isLoopbackHost(bind.host) &&
    clientIp === 'socket' &&
    workers === 1 &&
    readStoreAddress(path).engine !== 'postgres' &&
    !unauthenticated &&
    ['studio', 'setup'].every((route) => permits({ allow: allowHttp, deny: denyHttp }, route)) &&
    printsBanner(configuration)
  );
}

/** Closed until `open` issues a code. */
export class FirstUserSetup implements Setup {
  readonly #database: OpenDatabase;
  readonly #environment: Environment;
  readonly #throttle: Throttle;
  #code: OneTimeCode | undefined;

  constructor(database: OpenDatabase, environment = realEnvironment) {
    this.#database = database;
    this.#environment = environment;
    this.#throttle = new Throttle(environment);
  }

  /** Issues the code: text of 32 hexadecimal digits, valid for one use within an hour, and only in this process. */
  open(): string {
    const { code, text } = OneTimeCode.issue(this.#environment, CODE_LIFETIME);
    this.#code = code;
    return text;
  }

  get isOpen(): boolean {
    return this.#code?.isValid ?? false;
  }

  async makeUser({ user, password, code }: SetupRequest, origin: Origin): Promise<void> {
    const issued = await this.#redeem(code, origin);
    const session = this.#database.ownerSession(undefined, origin);
    try {
      const isMade = await makeRootUser(session, { name: user, password }, 'Made in the Studio').catch((error) => {
        issued.restore();
        throw error;
      });
      if (!isMade) throw failure('setup_closed');
    } finally {
      session.close();
    }
  }

  /** Failures are throttled like those of sign-ins, and audited. */
  async #redeem(text: string, origin: Origin): Promise<OneTimeCode> {
    const issued = this.#code;
    try {
      if (issued === undefined) throw failure('setup_closed');
      await this.#throttle.attempt({ account: ACCOUNT, source: origin.ip }, async () => issued.redeem(text));
      return issued;
    } catch (error) {
      this.#database.auditRefusal(origin, asTesseraError(error));
      throw error;
    }
  }
}

// A code that the server issues itself: shown once, valid once, and for a limited time.

/** Bytes; 128 bits can't be guessed. */
const CODE_LENGTH = 16;

class OneTimeCode {
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
