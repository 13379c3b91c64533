/**
 * The view of the store in which a session's changes are evaluated: its rights, the definitions, and the records that
 * live queries read. One is taken for all changes that wait, rather than for each.
 */
import { type SessionIdentity, withDatabasePath } from '../../auth/identity.js';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import { type DatabasePath, isSamePath } from '../../catalog/principal.js';
import type { Environment } from '../../env/environment.js';
import { assertSameUser, keysOfUser } from '../../records/users.js';
import type { Execution } from '../../runtime/execution.js';
import type { Interrupt } from '../../runtime/interrupt.js';
import type { LastDefinitions } from '../../runtime/live-changes.js';
import type { Executor } from '../../statements/executor.js';
import type { Engine, Transaction } from '../../storage/contract.js';

/** Milliseconds for which a view shows what is now, from its first answer on: rights that were taken away end then. */
const FRESH = 50;

export interface LiveViewServices {
  readonly engine: Engine;
  readonly environment: Environment;
  readonly executor: Executor;
}

export class LiveView {
  readonly #services: LiveViewServices;
  readonly #transaction: Transaction;
  readonly #identity: SessionIdentity;
  /** The last change that had arrived when it was taken. */
  readonly #covers: number;
  #freshUntil = Number.POSITIVE_INFINITY;
  /** Of the database that was asked for last. */
  #known: { readonly path: DatabasePath; readonly catalog: DatabaseCatalog | undefined } | undefined;

  private constructor(services: LiveViewServices, transaction: Transaction, identity: SessionIdentity, covers: number) {
    this.#services = services;
    this.#transaction = transaction;
    this.#identity = identity;
    this.#covers = covers;
  }

  /**
   * Takes a view of what is committed now.
   * @param covers the number of the last change that has arrived
   */
  static take(services: LiveViewServices, identity: SessionIdentity, covers: number): PromiseOrValue<LiveView> {
    return andThen(
      services.engine.begin({ writable: false }),
      (transaction) => new LiveView(services, transaction, identity, covers),
    );
  }

  /** Whether it shows the commit of a change, by its number, and is still as of now for an identity. */
  serves(identity: SessionIdentity, change: number): boolean {
    return (
      identity === this.#identity &&
      change <= this.#covers &&
      this.#services.environment.clock.monotonic() < this.#freshUntil
    );
  }

  /**
   * An execution for one change in a database, by its definitions as of now or by the `last` ones, once it is certain
   * that its user is still there; `undefined` if PERMISSIONS apply and definitions aren't known for certain.
   * @throws TesseraError `session_expired`, and what the store throws
   */
  execution(
    databasePath: DatabasePath,
    interrupt: Interrupt,
    last: LastDefinitions | undefined,
  ): PromiseOrValue<{ readonly execution: Execution; readonly catalog: DatabaseCatalog | undefined } | undefined> {
    const known = this.#known;
    const { executor } = this.#services;
    const isKnown = last === undefined && known !== undefined && isSamePath(known.path, databasePath);
    const execution = executor.execution({
      transaction: this.#transaction,
      identity: withDatabasePath(this.#identity, databasePath),
      interrupt,
      catalog: isKnown ? known.catalog : last?.catalog,
    });
    if (isKnown) return { execution, catalog: known.catalog };
    if (last?.areCurrent === false && execution.checks.view) return undefined;
    const { context } = execution;
    if (context.answersLater) {
      const likely = context.likelyCatalog();
      void context.prefetch({ keys: likely === undefined ? [] : keysOfUser(execution, likely) });
    }
    return andThen(assertSameUser(execution), () =>
      andThen(context.catalog(), (catalog) => {
        // A store that answers late would otherwise be asked again for each change.
        if (this.#freshUntil === Number.POSITIVE_INFINITY) {
          this.#freshUntil = this.#services.environment.clock.monotonic() + FRESH;
        }
        if (last === undefined) this.#known = { path: databasePath, catalog };
        return { execution, catalog };
      }),
    );
  }

  /** Call once, when it is no longer needed. */
  leave(): void {
    this.#transaction.cancel();
  }
}
