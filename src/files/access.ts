/** The files of buckets, for all that runs in an open store. */
import type { Execution, FileAccess } from '../runtime/execution.js';
import type { TransferredFiles } from '../runtime/file-access.js';
import type { Compiler } from '../runtime/frame.js';
import { BucketRules } from './bucket-rules.js';
import { DATABASE, readContentAddress } from './contents/address.js';
import type { ContentStores } from './contents/content-stores.js';
import { CountedFiles } from './counted-files.js';
import { FilesOfExecution } from './files.js';

export class Files implements FileAccess {
  readonly #stores: ContentStores;
  readonly #rules: BucketRules;

  constructor(compiler: Compiler, stores: ContentStores) {
    this.#stores = stores;
    this.#rules = new BucketRules(compiler);
  }

  of(execution: Execution): TransferredFiles {
    const files = new FilesOfExecution(execution, this.#stores, this.#rules);
    const { metrics } = execution.services;
    return metrics === undefined ? files : new CountedFiles(files, metrics.files);
  }

  async assertUsable(backend: string | undefined): Promise<void> {
    await this.#stores.assertUsable(backend === undefined ? DATABASE : readContentAddress(backend));
  }
}
