/** The services of a node that shares its store with others. */
import type { SessionIdentity } from '../../auth/identity.js';
import { credentialOf } from '../../auth/ways/bearer.js';
import type { CatalogCache } from '../../catalog/definitions/load.js';
import { grantName, revokedName } from '../../catalog/keys/followed-key.js';
import type { Environment } from '../../env/environment.js';
import type { TesseraError } from '../../errors/error.js';
import { SharedLiveQueries } from '../../statements/live/shared-live-queries.js';
import type { Engine, SharedStore } from '../../storage/contract.js';
import { encodeKey } from '../../value/codecs/key-codec.js';
import { Range } from '../../value/value.js';
import type { RegisteredSession } from '../resources/registered-session.js';
import type { DependencyKey } from '../resources/session-registry.js';
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

// An index of sessions by what they depend on, so that a commit re-validates only those that it may concern.

/**
 * Finds the sessions that depend on a record, a grant or an identity, by the keys in commits. Records are found by
 * their encoded keys alone: records with the same key in several tables are all found.
 */
class SessionDependencies {
  readonly #byName = new Map<string, Set<RegisteredSession>>();
  readonly #names = new Map<RegisteredSession, readonly string[]>();

  add(session: RegisteredSession): void {
    this.remove(session);
    const names = namesOf(session.holder);
    if (names.length === 0) return;
    this.#names.set(session, names);
    for (const name of names) this.#byName.set(name, (this.#byName.get(name) ?? new Set()).add(session));
  }

  remove(session: RegisteredSession): void {
    for (const name of this.#names.get(session) ?? []) {
      const sessions = this.#byName.get(name);
      sessions?.delete(session);
      if (sessions?.size === 0) this.#byName.delete(name);
    }
    this.#names.delete(session);
  }

  on(key: DependencyKey): Iterable<RegisteredSession> {
    return this.#byName.get(key.kind === 'incarnation' ? recordName(key.key) : key.name) ?? [];
  }
}

function namesOf({ principal, signedIn: { basis, claims } }: SessionIdentity): readonly string[] {
  const names: string[] = [];
  if (principal.kind === 'record' && !(principal.id.key instanceof Range)) {
    names.push(recordName(encodeKey(principal.id.key)));
  }
  if (basis?.kind === 'access' && basis.grant !== undefined) names.push(grantName(basis.access.name, basis.grant));
  const { token, identity } = claims === undefined ? {} : credentialOf(claims);
  for (const id of [token, identity]) if (id !== undefined) names.push(revokedName(id));
  return names;
}

/** No grant begins like this. */
function recordName(key: string): string {
  return `record ${key}`;
}
