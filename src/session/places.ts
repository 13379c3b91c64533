/** What USE selects, and brings into being for those who may. */
import { andThen, lastly, type PromiseOrValue } from '../base/promise-or-value.js';
import { ensureDatabase, ensureNamespace } from '../catalog/define.js';
import { findDatabase, findNamespace } from '../catalog/lookup.js';
import { mayAct, type Place } from '../catalog/principal.js';
import type { Environment } from '../env/environment.js';
import type { Identity } from '../exec/execution.js';
import { tellImplied, type Witness } from '../exec/witness.js';
import type { Engine, Transaction } from '../storage/contract.js';
import { withRetries } from '../storage/retry.js';
import type { Sessions } from './registry.js';

/** Namespaces that are remembered, and databases of each. */
const MOST_KNOWN = 100;

export class PlaceKeeper {
  readonly #engine: Engine;
  readonly #environment: Environment;
  readonly #registry: Sessions;
  /** Databases that were there, by namespace, until a place is defined or removed: HTTP selects one with each request. */
  #known = new Map<string, Set<string>>();
  #era = 0;

  constructor(engine: Engine, environment: Environment, registry: Sessions) {
    this.#engine = engine;
    this.#environment = environment;
    this.#registry = registry;
  }

  /**
   * The place after a selection: a text selects, `null` unsets, `undefined` keeps. A namespace or database that doesn't exist is defined
   * if the principal may define it; for everybody else selecting it changes nothing but the session, and what is asked of it later fails.
   */
  select(
    { principal, place }: Identity,
    namespace: string | null | undefined,
    database: string | null | undefined,
    witness?: Witness,
  ): PromiseOrValue<Place> {
    const selected: Place = {
      namespace: namespace === undefined ? place.namespace : (namespace ?? undefined),
      // Without a namespace there is no database.
      database: namespace === null ? undefined : database === undefined ? place.database : (database ?? undefined),
    };
    if (selected.namespace === undefined) return selected;
    if (!mayAct(principal, 'edit', { namespace: selected.namespace })) return selected;
    // What is kept, and not named, comes into being when somebody writes to it.
    const named = database === undefined ? { namespace: selected.namespace } : selected;
    if (this.#isKnown(named)) return selected;
    const { era } = this.#registry;
    return andThen(this.#missing(named), (missing) => {
      if (missing === undefined) {
        this.#know(named, era);
        return selected;
      }
      const mayDefine = mayAct(principal, 'edit', missing === 'namespace' ? {} : { namespace: selected.namespace });
      if (!mayDefine) return selected;
      return andThen(this.#define(named), () => {
        if (missing === 'namespace') tellImplied(witness, {}, 'namespace', selected.namespace);
        tellImplied(witness, { namespace: selected.namespace }, 'database', named.database);
        return selected;
      });
    });
  }

  #isKnown({ namespace = '', database }: Place): boolean {
    return (
      database !== undefined && this.#era === this.#registry.era && this.#known.get(namespace)?.has(database) === true
    );
  }

  #know({ namespace = '', database }: Place, era: number): void {
    if (database === undefined) return;
    if (era !== this.#era || this.#known.size > MOST_KNOWN) this.#known = new Map();
    this.#era = era;
    const databases = this.#known.get(namespace);
    if (databases === undefined || databases.size > MOST_KNOWN) this.#known.set(namespace, new Set([database]));
    else databases.add(database);
  }

  #missing({ namespace = '', database }: Place): PromiseOrValue<'namespace' | 'database' | undefined> {
    return andThen(this.#engine.begin({ writable: false }), (transaction) =>
      lastly(
        () =>
          // Where there is a database, there is its namespace.
          andThen(database === undefined ? undefined : findDatabase(transaction, namespace, database), (known) =>
            known !== undefined
              ? undefined
              : andThen(findNamespace(transaction, namespace), (found) => {
                  if (found === undefined) return 'namespace';
                  return database === undefined ? undefined : 'database';
                }),
          ),
        () => transaction.cancel(),
      ),
    );
  }

  #define({ namespace = '', database }: Place): PromiseOrValue<void> {
    return withRetries(this.#engine, (transaction: Transaction) => {
      const { random, clock } = this.#environment;
      const change = { transaction, random, clock };
      return andThen(ensureNamespace(change, namespace), () =>
        database === undefined ? undefined : andThen(ensureDatabase(change, namespace, database), () => undefined),
      );
    });
  }
}
