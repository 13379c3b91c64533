/** The services of a node that shares its store with others. */
import type { CatalogCache } from '../../catalog/definitions/load.js';
import type { Environment } from '../../env/environment.js';
import type { TesseraError } from '../../errors/error.js';
import { SharedLiveQueries } from '../../statements/live/shared-live-queries.js';
import type { Engine, SharedStore } from '../../storage/contract.js';
import { SessionDependencies } from './session-dependencies.js';
import { SessionPresence } from './session-presence.js';
import { Staleness } from './staleness.js';

export interface SharedOptions {
  readonly engine: Engine;
  readonly environment: Environment;
  readonly catalogs: CatalogCache;
  /** As `PresenceOptions`. */
  readonly perUser: number | undefined;
  /** In milliseconds. */
  readonly maxStaleness: number | undefined;
  readonly report: (error: TesseraError) => void;
}

/** The additional services of a process whose store other nodes use, too. */
export interface SharedServices {
  readonly store: SharedStore;
  readonly liveQueries: SharedLiveQueries;
  readonly dependencies: SessionDependencies;
  readonly presence: SessionPresence;
  readonly staleness: Staleness;
}

/** `undefined` where no other node uses the store. */
export function sharedServices(options: SharedOptions): SharedServices | undefined {
  const { engine, environment, perUser, report } = options;
  const { shared: store } = engine;
  if (store === undefined) return undefined;
  const { timers, clock } = environment;
  return {
    store,
    liveQueries: new SharedLiveQueries({ ...options, node: store.node }),
    dependencies: new SessionDependencies(),
    presence: new SessionPresence({ engine, node: store.node, timers, perUser, report }),
    staleness: new Staleness(store, clock, options.maxStaleness),
  };
}
