import { readFileSync } from 'node:fs';
import { readTrustedManifest, type TrustedManifest } from '../graphql/document/manifest.js';
import { ConfigurationError } from './setting.js';

/**
 * Reads the documents of `--graphql-documents`.
 * @throws ConfigurationError naming the file and the problem
 */
export function readDocuments(path: string): TrustedManifest {
  try {
    return readTrustedManifest(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigurationError(`--graphql-documents ${path}: ${(error as Error).message}`);
  }
}
