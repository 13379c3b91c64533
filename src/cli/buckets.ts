/** The buckets of a store that no server has open, and where their bytes are. */
import type { DatabaseCatalog } from '../catalog/definitions/database-catalog.js';
import { checkedDatabases } from '../ddl/check/databases.js';
import { Faults } from '../ddl/check/fault.js';
import { contentAddressOf } from '../files/contents/address.js';
import type { BucketPlace } from '../files/contents/content-stores.js';
import type { Engine } from '../storage/contract.js';

/** A bucket whose bytes outlast a process, by its namespace, database and name. */
export interface StoredBucket {
  readonly path: string;
  readonly place: BucketPlace;
  readonly catalog: DatabaseCatalog;
  /** As its definition says it; none where the bytes are in the store. */
  readonly backend: string | undefined;
}

export async function bucketsIn(engine: Engine): Promise<StoredBucket[]> {
  const transaction = await engine.begin({ writable: false });
  try {
    const catalogs = await checkedDatabases(transaction, new Faults());
    return catalogs.flatMap((catalog) =>
      [...catalog.buckets.values()].flatMap((bucket) => {
        const { namespace, database } = catalog;
        const { identity, name, backend } = bucket;
        const place = { database: database.id, identity, name, address: contentAddressOf(bucket) };
        const path = `${namespace.name}/${database.name}/${name}`;
        const isElsewhere = place.address.kind !== 'database' && backend?.kind === 'literal';
        if (place.address.kind === 'memory') return [];
        return [{ path, place, catalog, backend: isElsewhere ? String(backend.value) : undefined }];
      }),
    );
  } finally {
    transaction.cancel();
  }
}

/** The buckets whose bytes aren't in the store: `test/test/pictures (file:/srv/files)`. */
export async function bucketsElsewhere(engine: Engine): Promise<readonly string[]> {
  const buckets = await bucketsIn(engine);
  return buckets.flatMap(({ path, backend }) => (backend === undefined ? [] : [`${path} (${backend})`]));
}

/** Says that their bytes need a copy of their own; nothing of none. */
export function elsewhereText(buckets: readonly string[]): string {
  return buckets.length === 0 ? '' : `The bytes of these buckets are not in it: ${buckets.join(', ')}\n`;
}
