/** `--import-file`: what a server is filled with before anybody reaches it. */
import { createReadStream } from 'node:fs';
import { TesseraError } from '../errors/error.js';
import type { Database } from '../session/contract.js';
import type { Configuration } from './configuration.js';
import { ConfigurationError } from './setting.js';

type Defaults = Pick<Configuration, 'defaultNamespace' | 'defaultDatabase' | 'noDefaults'>;

/**
 * Runs the statements of a file as an owner, one as soon as it is read, in the default database unless they say otherwise.
 * @throws ConfigurationError that tells where in the file which one failed, and what the file system throws
 */
export async function importFile(database: Database, file: string, defaults: Defaults): Promise<void> {
  const session = database.ownerSession();
  try {
    if (!defaults.noDefaults) await session.use(defaults.defaultNamespace, defaults.defaultDatabase);
    await session.import(createReadStream(file, 'utf8'));
  } catch (thrown) {
    throw thrown instanceof TesseraError ? new ConfigurationError(`--import-file: ${thrown.message}`) : thrown;
  } finally {
    session.close();
  }
}
