/** Setting up a fresh server in the Studio: the first root user, made with a code that the server prints. */

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
import { OneTimeCode } from './one-time-code.js';

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
