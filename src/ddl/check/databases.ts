/** Checks the definitions of a store, and returns the catalogs of its databases. */
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import type { NamespaceDefinition } from '../../catalog/definitions/definition.js';
import { CatalogCache, loadDatabase } from '../../catalog/definitions/load.js';
import { type Definition, readAnyDefinition } from '../../catalog/definitions/stored-definition.js';
import { entriesOf } from '../../catalog/entries.js';
import {
  counterKey,
  databaseArea,
  databasesRange,
  definitionRange,
  memberRange,
  namespaceArea,
  ROOT_AREA,
  tableOfMember,
} from '../../catalog/keys/store-keys.js';
import type { Entry, KeyRange, Transaction } from '../../storage/contract.js';
import type { Faults } from './fault.js';

/** The catalogs that can be loaded; each other one is a fault. */
export async function checkedDatabases(transaction: Transaction, faults: Faults): Promise<DatabaseCatalog[]> {
  const check = new CatalogCheck(transaction, faults);
  const root = await check.definitions('root', definitionRange(ROOT_AREA));
  const lastId = Number((await transaction.get(counterKey(ROOT_AREA))) ?? -1);
  const catalogs: DatabaseCatalog[] = [];
  const ids = new Set<number>();
  for (const definition of root) {
    if (definition.kind === 'define-namespace' || definition.kind === 'define-database')
      check.id(definition, 'root', lastId, ids);
    if (definition.kind === 'define-namespace') catalogs.push(...(await check.namespace(definition)));
  }
  return catalogs;
}

class CatalogCheck {
  readonly #transaction: Transaction;
  readonly #faults: Faults;
  readonly #cache = new CatalogCache();

  constructor(transaction: Transaction, faults: Faults) {
    this.#transaction = transaction;
    this.#faults = faults;
  }

  /** The entries of a range that can be read. */
  async definitions(place: string, range: KeyRange): Promise<Definition[]> {
    const entries = await entriesOf(this.#transaction, range);
    return entries.flatMap(([, stored]) => {
      try {
        return [readAnyDefinition(stored)];
      } catch (error) {
        this.#faults.add('catalog', place, `a definition can’t be read: ${(error as Error).message}`);
        return [];
      }
    });
  }

  /** Ids are assigned once, in ascending order. */
  id(definition: Definition & { readonly id: number }, place: string, last: number, ids: Set<number>): void {
    const what = `${definition.kind.slice('define-'.length)} ${'name' in definition ? String(definition.name) : ''}`;
    if (!Number.isSafeInteger(definition.id) || definition.id < 0 || definition.id > last)
      this.#faults.add('catalog', place, `${what} has the id ${definition.id}, which was never given out`);
    else if (ids.has(definition.id)) this.#faults.add('catalog', place, `${what} has the id of another`);
    ids.add(definition.id);
  }

  async namespace(namespace: NamespaceDefinition): Promise<DatabaseCatalog[]> {
    await this.definitions(`namespace ${namespace.name}`, definitionRange(namespaceArea(namespace.id)));
    const catalogs: DatabaseCatalog[] = [];
    for (const database of await this.definitions(`namespace ${namespace.name}`, databasesRange(namespace.name))) {
      if (database.kind !== 'define-database') continue;
      const catalog = await this.#database(namespace.name, database.name, database.id);
      if (catalog !== undefined) catalogs.push(catalog);
    }
    return catalogs;
  }

  async #database(namespace: string, name: string, id: number): Promise<DatabaseCatalog | undefined> {
    const place = `database ${namespace}/${name}`;
    const before = this.#faults.countOf('catalog');
    const own = await this.definitions(place, definitionRange(databaseArea(id)));
    const lastId = Number((await this.#transaction.get(counterKey(databaseArea(id)))) ?? -1);
    const ids = new Set<number>();
    for (const definition of own) if (definition.kind === 'define-table') this.id(definition, place, lastId, ids);
    const tables = new Set(ids);
    const members = await entriesOf(this.#transaction, memberRange(id));
    await this.definitions(place, memberRange(id));
    for (const entry of members) this.#member(entry, place, tables, lastId, ids);
    if (this.#faults.countOf('catalog') > before) return undefined;
    try {
      return await loadDatabase(this.#transaction, this.#cache, namespace, name);
    } catch (error) {
      this.#faults.add('catalog', place, `its definitions can’t be loaded: ${(error as Error).message}`);
      return undefined;
    }
  }

  #member([key, stored]: Entry, place: string, tables: ReadonlySet<number>, last: number, ids: Set<number>): void {
    const table = tableOfMember(key);
    if (!tables.has(table)) {
      this.#faults.add('catalog', place, `something is defined on table ${table}, which isn't defined`);
      return;
    }
    try {
      const definition = readAnyDefinition(stored);
      if (definition.kind === 'define-index') this.id(definition, place, last, ids);
    } catch {
      // Reported where all definitions are read.
    }
  }
}
