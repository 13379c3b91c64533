/** Applies USE: selects a namespace and database, and defines missing ones if the principal may. */
import { andThen, lastly, type PromiseOrValue } from '../../base/promise-or-value.js';
import { ensureDatabase, ensureNamespace } from '../../catalog/ddl/define.js';
import type { CatalogCache } from '../../catalog/definitions/load.js';
import { findDatabase, findNamespace } from '../../catalog/definitions/lookup.js';
import { type DatabasePath, type Identity, mayAct } from '../../catalog/principal.js';
import type { Environment } from '../../env/environment.js';
import { type AuditRecorder, recordImplied } from '../../runtime/audit-recorder.js';
import type { NamespacePath } from '../../runtime/authorization/selected-database.js';
import type { Engine, Transaction } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';
import type { InMemorySessionRegistry } from '../resources/session-registry.js';

/** The operands of USE: a string selects, `null` clears, `undefined` keeps. */
export interface UseTarget {
  readonly namespace?: string | null | undefined;
  readonly database?: string | null | undefined;
}

/** Namespaces cached, and databases cached per namespace. */
const MOST_KNOWN = 100;

export class DatabaseSelector {
  readonly #engine: Engine;
  readonly #environment: Environment;
  readonly #registry: InMemorySessionRegistry;
  readonly #catalogs: CatalogCache;
  /** Existing databases by namespace, valid for one epoch of the registry: HTTP selects a database on every request. */
  #known = new Map<string, Set<string>>();
  #epoch = 0;

  constructor(engine: Engine, environment: Environment, registry: InMemorySessionRegistry, catalogs: CatalogCache) {
    this.#engine = engine;
    this.#environment = environment;
    this.#registry = registry;
    this.#catalogs = catalogs;
  }

  /**
   * Returns the selection after USE. A missing namespace or database is defined if the principal may define it;
   * otherwise only the selection changes, and later statements fail.
   */
  select(identity: Identity, named: UseTarget, auditRecorder?: AuditRecorder): PromiseOrValue<DatabasePath> {
    const selected = databasePathAfter(identity, named);
    const wanted = definableOf(identity, selected, named);
    if (wanted === undefined || this.#isKnown(wanted)) return selected;
    const { epoch } = this.#registry;
    return andThen(this.#missing(wanted), (missing) => {
      if (missing === undefined) {
        this.#know(wanted, epoch);
        return selected;
      }
      if (!mayDefine(identity, missing, wanted)) return selected;
      const defining = withRetries(this.#engine, (transaction: Transaction) => this.#define(transaction, wanted));
      return andThen(defining, () => {
        recordDefined(auditRecorder, missing, wanted);
        return selected;
      });
    });
  }

  /**
   * Like `select`, within a transaction: definitions become visible to its later statements, and last if it commits.
   */
  selectWithin(
    transaction: Transaction,
    identity: Identity,
    named: UseTarget,
    auditRecorder?: AuditRecorder,
  ): PromiseOrValue<DatabasePath> {
    const selected = databasePathAfter(identity, named);
    const wanted = definableOf(identity, selected, named);
    if (wanted === undefined) return selected;
    // The cache may be stale within this transaction.
    return andThen(missingPart(transaction, wanted), (missing) => {
      if (missing === undefined || !mayDefine(identity, missing, wanted)) return selected;
      return andThen(this.#define(transaction, wanted), () => {
        recordDefined(auditRecorder, missing, wanted);
        return selected;
      });
    });
  }

  #isKnown({ namespace = '', database }: DatabasePath): boolean {
    return (
      database !== undefined &&
      this.#epoch === this.#registry.epoch &&
      this.#known.get(namespace)?.has(database) === true
    );
  }

  #know({ namespace = '', database }: DatabasePath, epoch: number): void {
    if (database === undefined) return;
    if (epoch !== this.#epoch || this.#known.size > MOST_KNOWN) this.#known = new Map();
    this.#epoch = epoch;
    const databases = this.#known.get(namespace);
    if (databases === undefined || databases.size > MOST_KNOWN) this.#known.set(namespace, new Set([database]));
    else databases.add(database);
  }

  #missing(wanted: NamespacePath): PromiseOrValue<Missing> {
    return andThen(this.#engine.begin({ writable: false }), (transaction) =>
      lastly(
        () => missingPart(transaction, wanted),
        () => transaction.cancel(),
      ),
    );
  }

  #define(transaction: Transaction, { namespace, database }: NamespacePath): PromiseOrValue<void> {
    const { random, clock } = this.#environment;
    const change = { transaction, random, clock, catalogs: this.#catalogs };
    return andThen(ensureNamespace(change, namespace), () =>
      database === undefined ? undefined : andThen(ensureDatabase(change, namespace, database), () => undefined),
    );
  }
}

/** The selection after USE. */
export function databasePathAfter({ databasePath }: Identity, { namespace, database }: UseTarget): DatabasePath {
  return {
    namespace: namespace === undefined ? databasePath.namespace : (namespace ?? undefined),
    // Without a namespace there is no database.
    database: namespace === null ? undefined : database === undefined ? databasePath.database : (database ?? undefined),
  };
}

/** The part of the selection that must exist, if the principal may define it. */
function definableOf(
  { principal }: Identity,
  { namespace, database }: DatabasePath,
  named: UseTarget,
): NamespacePath | undefined {
  if (namespace === undefined || !mayAct(principal, 'edit', { namespace })) return undefined;
  // A database that is kept and not named is defined by the first write.
  return named.database === undefined ? { namespace } : { namespace, database };
}

type Missing = 'namespace' | 'database' | undefined;

function missingPart(transaction: Transaction, { namespace, database }: NamespacePath): PromiseOrValue<Missing> {
  // An existing database implies its namespace.
  const found = database === undefined ? undefined : findDatabase(transaction, namespace, database);
  return andThen(found, (known) => {
    if (known !== undefined) return undefined;
    return andThen(findNamespace(transaction, namespace), (around) => {
      if (around === undefined) return 'namespace';
      return database === undefined ? undefined : 'database';
    });
  });
}

function mayDefine({ principal }: Identity, missing: Missing, { namespace }: NamespacePath): boolean {
  return mayAct(principal, 'edit', missing === 'namespace' ? {} : { namespace });
}

function recordDefined(
  auditRecorder: AuditRecorder | undefined,
  missing: Missing,
  { namespace, database }: NamespacePath,
): void {
  if (missing === 'namespace') recordImplied(auditRecorder, {}, 'namespace', namespace);
  recordImplied(auditRecorder, { namespace }, 'database', database);
}
