/** Which columns of a table aren't shown. The browser keeps it for each table. */
import { KeptStores } from '../../base/kept.js';
import type { Store } from '../../base/store.js';

interface Place {
  readonly namespace: string;
  readonly database: string;
}

const stores = new KeptStores<readonly string[]>(
  'hidden-columns',
  (entries) => entries.filter((name) => typeof name === 'string'),
  (names) => names,
);

export function hiddenColumns({ namespace, database }: Place, table: string): Store<readonly string[]> {
  return stores.of(namespace, database, table);
}
