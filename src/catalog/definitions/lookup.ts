/**
 * Reads definitions outside databases, uncached: namespaces, databases, and the users and access methods of every
 * level.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { KeyRange, Transaction } from '../../storage/contract.js';
import type { Value } from '../../value/value.js';
import { forEachEntry } from '../entries.js';
import type { Id } from '../keys/key-bytes.js';
import {
  type Area,
  databaseArea,
  databaseKey,
  databasesRange,
  definitionKey,
  definitionRange,
  namespaceArea,
  ROOT_AREA,
  settingKey,
} from '../keys/store-keys.js';
import type { DatabasePath } from '../principal.js';
import type {
  AccessDefinition,
  ConfigDefinition,
  DatabaseDefinition,
  NamespaceDefinition,
  SettledConfig,
  UserDefinition,
} from './definition.js';
import { type DefinitionKind, type DefinitionOf, readDefinition } from './stored-definition.js';

/** Each list in the order of names. */
export interface RootCatalog {
  readonly namespaces: readonly NamespaceDefinition[];
  readonly users: readonly UserDefinition[];
  readonly accesses: readonly AccessDefinition[];
  /** `DEFINE CONFIG DEFAULT`. */
  readonly defaults: ConfigDefinition | undefined;
  /** `ALTER SYSTEM QUERY_TIMEOUT`. */
  readonly queryTimeout: Value;
}

export interface NamespaceCatalog {
  readonly namespace: NamespaceDefinition;
  readonly databases: readonly DatabaseDefinition[];
  readonly users: readonly UserDefinition[];
  readonly accesses: readonly AccessDefinition[];
}

/** What is defined at the root: namespaces, users, access methods, defaults and the bound of queries. */
export function loadRoot(transaction: Transaction): PromiseOrValue<RootCatalog> {
  return andThen(list(transaction, 'define-namespace', definitionRange(ROOT_AREA, 'namespace')), (namespaces) =>
    andThen(identities(transaction, ROOT_AREA), (found) =>
      andThen(findDefaults(transaction), (defaults) =>
        andThen(transaction.get(settingKey('query-timeout')), (queryTimeout) => ({
          namespaces,
          ...found,
          defaults,
          queryTimeout,
        })),
      ),
    ),
  );
}

/** The default namespace and database of clients that select none. */
export function findDefaults(transaction: Transaction): PromiseOrValue<ConfigDefinition | undefined> {
  return find(transaction, 'define-config', definitionKey(ROOT_AREA, 'config', 'default'));
}

/** A configuration of the database with this id. */
export function findConfig<K extends SettledConfig['kind']>(
  transaction: Transaction,
  database: Id,
  kind: K,
): PromiseOrValue<Extract<SettledConfig, { readonly kind: K }> | undefined> {
  return andThen(find(transaction, 'define-config', definitionKey(databaseArea(database), 'config', kind)), (found) =>
    found === undefined ? undefined : configOfKind(found.config, kind),
  );
}

/** A config as one of its kind, which the key that it was found under says. */
export function configOfKind<K extends SettledConfig['kind']>(
  config: SettledConfig | undefined,
  kind: K,
): Extract<SettledConfig, { readonly kind: K }> | undefined {
  return config?.kind === kind ? (config as Extract<SettledConfig, { readonly kind: K }>) : undefined;
}

/** What is defined in a namespace: databases, users and access methods; `undefined` if there is no such namespace. */
export function loadNamespace(transaction: Transaction, name: string): PromiseOrValue<NamespaceCatalog | undefined> {
  return andThen(findNamespace(transaction, name), (namespace) => {
    if (namespace === undefined) return undefined;
    return andThen(list(transaction, 'define-database', databasesRange(name)), (databases) =>
      andThen(identities(transaction, namespaceArea(namespace.id)), (found) => ({ namespace, databases, ...found })),
    );
  });
}

/** The definition of a namespace; `undefined` if there is none. */
export function findNamespace(transaction: Transaction, name: string): PromiseOrValue<NamespaceDefinition | undefined> {
  return find(transaction, 'define-namespace', definitionKey(ROOT_AREA, 'namespace', name));
}

/** The definition of a database; `undefined` if there is none. */
export function findDatabase(
  transaction: Transaction,
  namespace: string,
  name: string,
): PromiseOrValue<DatabaseDefinition | undefined> {
  return find(transaction, 'define-database', databaseKey(namespace, name));
}

/** The user defined at exactly this path. `undefined` also if the path doesn't exist. */
export function findUser(
  transaction: Transaction,
  databasePath: DatabasePath,
  name: string,
): PromiseOrValue<UserDefinition | undefined> {
  return andThen(areaOf(transaction, databasePath), (area) =>
    area === undefined ? undefined : find(transaction, 'define-user', definitionKey(area, 'user', name)),
  );
}

/** The access method defined at exactly this path; `undefined` if there is none. */
export function findAccess(
  transaction: Transaction,
  databasePath: DatabasePath,
  name: string,
): PromiseOrValue<AccessDefinition | undefined> {
  return andThen(areaOf(transaction, databasePath), (area) =>
    area === undefined ? undefined : find(transaction, 'define-access', definitionKey(area, 'access', name)),
  );
}

/** The access methods defined at exactly this path, in the order of their names. */
export async function accessesAt(transaction: Transaction, databasePath: DatabasePath): Promise<AccessDefinition[]> {
  const area = await areaOf(transaction, databasePath);
  return area === undefined ? [] : list(transaction, 'define-access', definitionRange(area, 'access'));
}

/** The key area of a path; `undefined` if the path doesn't exist. */
export function areaOf(transaction: Transaction, databasePath: DatabasePath): PromiseOrValue<Area | undefined> {
  if (databasePath.namespace === undefined) return ROOT_AREA;
  if (databasePath.database === undefined) {
    return andThen(findNamespace(transaction, databasePath.namespace), (found) => found && namespaceArea(found.id));
  }
  return andThen(
    findDatabase(transaction, databasePath.namespace, databasePath.database),
    (found) => found && databaseArea(found.id),
  );
}

function identities(
  transaction: Transaction,
  area: Area,
): PromiseOrValue<{ users: UserDefinition[]; accesses: AccessDefinition[] }> {
  return andThen(list(transaction, 'define-user', definitionRange(area, 'user')), (users) =>
    andThen(list(transaction, 'define-access', definitionRange(area, 'access')), (accesses) => ({ users, accesses })),
  );
}

function find<K extends DefinitionKind>(
  transaction: Transaction,
  kind: K,
  key: string,
): PromiseOrValue<DefinitionOf<K> | undefined> {
  return andThen(transaction.get(key), (stored) => (stored === undefined ? undefined : readDefinition(kind, stored)));
}

function list<K extends DefinitionKind>(
  transaction: Transaction,
  kind: K,
  range: KeyRange,
): PromiseOrValue<DefinitionOf<K>[]> {
  const found: DefinitionOf<K>[] = [];
  const walked = forEachEntry(transaction, range, ([, stored]) => {
    found.push(readDefinition(kind, stored));
  });
  return andThen(walked, () => found);
}
