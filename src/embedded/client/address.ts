import { resolve } from 'node:path';
import { failure } from '../../errors/error.js';

/**
 * The store that the client's URL names: `memory`, or `lmdb:` with the whole path of a folder. What stands behind the slashes is the path,
 * relative to the working directory unless it begins with a slash.
 *
 *     storeAddress(new URL('mem://'));                 // 'memory'
 *     storeAddress(new URL('tessera://./data'));       // 'lmdb:' and the whole path of ./data
 *     storeAddress(new URL('surrealkv:///var/data'));  // 'lmdb:/var/data'
 *
 * A URL of the protocol `file` always begins with a slash: JavaScript reads `file:./data` as `file:///data`.
 * @throws TesseraError `storage_address` where there is no path
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
