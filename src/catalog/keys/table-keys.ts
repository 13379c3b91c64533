/** The keys of a table's records, incarnations and edges; made once for a table, as every row needs one. */
import type { Key, KeyRange } from '../../storage/contract.js';
import { vertexPrefix } from './edge-keys.js';
import { type Id, prefixRange } from './key-bytes.js';
import { incarnationPrefix, recordPrefix } from './store-keys.js';

/** The keys of one table, with precomputed prefixes. */
export class TableKeys {
  readonly records: KeyRange;
  readonly incarnations: KeyRange;
  readonly #record: string;
  readonly #node: string;
  readonly #incarnation: string;

  constructor(
    readonly database: Id,
    readonly table: Id,
  ) {
    this.#record = recordPrefix(database, table);
    this.#node = vertexPrefix(database, table, '');
    this.#incarnation = incarnationPrefix(database, table);
    this.records = prefixRange(this.#record);
    this.incarnations = prefixRange(this.#incarnation);
  }

  record(key: string): Key {
    return this.#record + key;
  }

  node(key: string): string {
    return this.#node + key;
  }

  incarnation(key: string): Key {
    return this.#incarnation + key;
  }
}
