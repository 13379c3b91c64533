/** `--import-file`: imports a file before the server accepts requests. */
import { createReadStream } from 'node:fs';
import { TesseraError } from '../errors/error.js';
import type { Database } from '../session/contract.js';
import type { Configuration } from './configuration.js';
import { ConfigurationError } from './setting.js';

type Defaults = Pick<Configuration, 'defaultNamespace' | 'defaultDatabase' | 'noDefaults'>;

/**
 * Runs the statements of a file with owner rights, as a stream, in the default database unless they select another.
 * @throws ConfigurationError with the position of the failed statement; errors of the file system
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
