import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigurationError } from './setting.js';

/** Certificate and private key in PEM. */
export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Reads certificate and key.
 * @throws ConfigurationError if a file cannot be read or they don't match
 */
export function readTls(certificate: string | undefined, privateKey: string | undefined): TlsFiles | undefined {
  if (certificate === undefined || privateKey === undefined) return undefined;
  const files = { cert: read('--web-crt', certificate), key: read('--web-key', privateKey) };
  try {
    createSecureContext(files);
  } catch (error) {
    throw new ConfigurationError(`--web-crt and --web-key: ${(error as Error).message}`);
  }
  return files;
}

function read(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigurationError(`${flag}: ${(error as Error).message}`);
  }
}
