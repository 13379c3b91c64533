import { resolve } from 'node:path';
import { failure } from '../../errors/error.js';

/**
 * The store address of a client URL: `memory`, or `lmdb:` and the absolute path of a folder. The part after the slashes
 * is a path, relative to the working directory unless it begins with a slash.
 *
 *     storeAddress(new URL('mem://'));                 // 'memory'
 *     storeAddress(new URL('tessera://./data'));       // 'lmdb:' and the absolute path of ./data
 *     storeAddress(new URL('surrealkv:///var/data'));  // 'lmdb:/var/data'
 *
 * A `file` URL is always absolute: JavaScript parses `file:./data` as `file:///data`.
 * @throws TesseraError `storage_address` if there is no path
 */
export function storeAddress(url: URL): string {
  if (url.protocol === 'mem:') return 'memory';
  let path: string;
  try {
    path = decodeURIComponent(`${url.host}${url.pathname}`);
  } catch {
    throw failure('storage_address', { address: url.href });
  }
  if (path === '') throw failure('storage_address', { address: url.href });
  return `lmdb:${resolve(path)}`;
}
