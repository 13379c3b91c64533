/** Evaluations of results that are kept right: what they depend on besides the store is noted. */
import type { Identity } from '../../catalog/principal.js';
import type { Clock, Environment, Random } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import type { Execution } from '../../runtime/execution.js';
import { Variants } from '../../runtime/variants.js';

/** What an evaluation has asked for besides the store. */
export interface OutsideUse {
  /** The time of day. */
  time: boolean;
  /** Who asks: `$auth` and the like, wherever they stand. */
  reader: boolean;
}

/**
 * The same execution for a result that is kept right: it writes nothing, and has no effects.
 * @throws TesseraError when it is used: `live_result_unsteady`, `read_only`
 */
export function keptRight(execution: Execution, use: OutsideUse): Execution {
  const { services, request, identity } = execution;
  return {
    ...execution,
    services: { ...services, environment: new NotedEnvironment(services.environment, use) },
    request: { ...request, isKeptRight: true },
    identity: new NotedIdentity(identity, use),
    writable: false,
    variants: new Variants(),
  };
}

class NotedEnvironment implements Environment {
  readonly clock: Clock;
  readonly random: Random = { bytes: refuseChance, float: refuseChance };

  constructor(
    private readonly inner: Environment,
    use: OutsideUse,
  ) {
    const { clock } = inner;
    this.clock = {
      now: () => {
        use.time = true;
        return clock.now();
      },
      // It measures work.
      monotonic: () => clock.monotonic(),
    };
  }

  get timers() {
    return this.inner.timers;
  }

  get network() {
    return this.inner.network;
  }

  get mail() {
    return this.inner.mail;
  }

  get heap() {
    return this.inner.heap;
  }
}

function refuseChance(): never {
  throw failure('live_result_unsteady', { what: 'random value' });
}

class NotedIdentity implements Identity {
  constructor(
    private readonly inner: Identity,
    private readonly use: OutsideUse,
  ) {}

  get principal() {
    return this.inner.principal;
  }

  get databasePath() {
    return this.inner.databasePath;
  }

  get viewer() {
    return this.inner.viewer;
  }

  get session() {
    this.use.reader = true;
    return this.inner.session;
  }

  get token() {
    this.use.reader = true;
    return this.inner.token;
  }

  get auth() {
    this.use.reader = true;
    return this.inner.auth;
  }

  get access() {
    this.use.reader = true;
    return this.inner.access;
  }
}
