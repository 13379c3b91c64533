/** Metrics of a store in a folder: its disk, its readers and its caches. */
import type { Database } from 'lmdb';
import { realEnvironment } from '../../../env/real.js';
import { type Family, GaugeFamily, HistogramFamily } from '../../../metrics/families.js';
import type { LmdbDatabases } from '../file/lmdb-databases.js';
import { oldestReader } from './oldest-reader.js';

/** Of one tree, as LMDB's library gives it. */
interface TreeStatistics {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
  readonly entryCount: number;
}

/** Of the file. */
interface FileStatistics extends TreeStatistics {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  readonly lastTxnId: number;
  readonly numReaders: number;
  readonly root: TreeStatistics;
  readonly free: TreeStatistics;
}

/** The use of a cache. */
interface CacheUse {
  readonly hits: number;
  readonly misses: number;
}

/** The two pages in which LMDB keeps where its trees begin. */
const META_PAGES = 2;

export class LmdbMetrics {
  readonly #databases: LmdbDatabases;
  readonly #writes = new HistogramFamily(
    'tessera_store_write_duration_seconds',
    'Time that writing a group of commits took, with its fsync.',
    [],
  );

  constructor(databases: LmdbDatabases) {
    this.#databases = databases;
  }

  /** A write begins; to be called when it has succeeded. */
  beginWrite(): () => void {
    const { clock } = realEnvironment;
    const began = clock.monotonic();
    return () => this.#writes.record((clock.monotonic() - began) / 1000);
  }

  families(caches: { readonly records: CacheUse; readonly ranges: CacheUse }): readonly Family[] {
    const { root, records, metadata, log } = this.#databases;
    const trees = log === undefined ? [records, metadata] : [records, metadata, log];
    const file = () => root.getStats() as FileStatistics;
    const ofCaches = (count: keyof CacheUse) => () =>
      Object.entries({ records: caches.records, ranges: caches.ranges }).map(([cache, each]) => ({
        labels: { cache },
        value: each[count],
      }));
    return [
      this.#writes,
      new GaugeFamily(
        { name: 'tessera_store_bytes', help: 'Size of the data that LMDB has written pages for.' },
        () => {
          const { lastPageNumber, pageSize } = file();
          return (lastPageNumber + 1) * pageSize;
        },
      ),
      new GaugeFamily(
        { name: 'tessera_store_free_bytes', help: 'Of that, pages that hold nothing and will be used again.' },
        () => freeBytes(file(), trees),
      ),
      new GaugeFamily(
        { name: 'tessera_store_entries', help: 'Entries: records, entries of indexes, definitions and logs.' },
        () => treeOf(records).entryCount,
      ),
      new GaugeFamily(
        { name: 'tessera_store_readers', help: 'Slots of readers in use; there are 8,192.' },
        () => file().numReaders,
      ),
      new GaugeFamily(
        {
          name: 'tessera_store_oldest_reader_commits',
          help: 'How many writes the oldest snapshot that is read lies behind: its pages can’t be used again.',
        },
        () => Math.max(0, file().lastTxnId - oldestReader(root.readerList(), file().lastTxnId)),
      ),
      new GaugeFamily(
        { name: 'tessera_cache_hits_total', help: 'Reads that a cache of decoded values answered.', type: 'counter' },
        ofCaches('hits'),
      ),
      new GaugeFamily(
        { name: 'tessera_cache_misses_total', help: 'Reads that it left to the store.', type: 'counter' },
        ofCaches('misses'),
      ),
    ];
  }
}

function treeOf(database: Database): TreeStatistics {
  return database.getStats() as TreeStatistics;
}

/** Pages that the trees don't use: reading the list of free pages would take time proportional to it. */
function freeBytes({ lastPageNumber, pageSize, root, free }: FileStatistics, trees: readonly Database[]): number {
  const used = [root, free, ...trees.map(treeOf)].reduce((sum, tree) => sum + pagesOf(tree), META_PAGES);
  return Math.max(0, lastPageNumber + 1 - used) * pageSize;
}

function pagesOf({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreeStatistics): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}
