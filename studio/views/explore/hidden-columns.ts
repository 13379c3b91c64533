/** Which columns of a table aren't shown. The browser keeps it for each table. */
import { readKeptList, writeKeptList } from '../../base/kept.js';
import { Store } from '../../base/store.js';

interface Place {
  readonly namespace: string;
  readonly database: string;
}

const stores = new Map<string, Store<readonly string[]>>();

export function hiddenColumns({ namespace, database }: Place, table: string): Store<readonly string[]> {
  // Names may have any character, so that joined by one they could be those of another table.
  const key = `tessera:studio:hidden-columns:${JSON.stringify([namespace, database, table])}`;
  const known = stores.get(key);
  if (known !== undefined) return known;
  const store = new Store<readonly string[]>(readKeptList(key).filter((name) => typeof name === 'string'));
  store.subscribe(() => writeKeptList(key, store.value));
  stores.set(key, store);
  return store;
}
