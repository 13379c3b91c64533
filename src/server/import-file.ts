/** `--import-file`: what a server is filled with before anybody reaches it. */
import { readFile } from 'node:fs/promises';
import type { Database } from '../session/contract.js';
import type { Configuration } from './configuration.js';
import { ConfigurationError } from './setting.js';

type Defaults = Pick<Configuration, 'defaultNamespace' | 'defaultDatabase' | 'noDefaults'>;

/**
 * Runs the statements of a file as an owner, in the default database unless they say otherwise.
 * @throws ConfigurationError that tells which one failed, what the file system throws, and TesseraError for a text that doesn't parse
 */
export async function importFile(database: Database, file: string, defaults: Defaults): Promise<void> {
  const text = await readFile(file, 'utf8');
  const session = database.ownerSession();
  try {
    if (!defaults.noDefaults) await session.use(defaults.defaultNamespace, defaults.defaultDatabase);
    const results = await session.query(text);
    results.forEach(({ outcome }, at) => {
      if (!outcome.ok) throw new ConfigurationError(`--import-file: statement ${at + 1}: ${outcome.error.message}`);
    });
  } finally {
    session.close();
  }
}
