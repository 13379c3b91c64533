import { readFileSync } from 'node:fs';
import { type Manifest, readManifest } from '../graphql/document/manifest.js';
import { ConfigurationError } from './setting.js';

/**
 * Reads the documents of `--graphql-documents`.
 * @throws ConfigurationError naming the file and the problem
 */
export function readDocuments(path: string): Manifest {
  try {
    return readManifest(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigurationError(`--graphql-documents ${path}: ${(error as Error).message}`);
  }
}
