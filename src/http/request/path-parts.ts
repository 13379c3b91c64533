/** The parts of an address between its slashes, decoded one by one. */
import { failure } from '../../errors/error.js';

/**
 *     pathParts('/api/a%2Fb/c?x=1')   // ['api', 'a/b', 'c']
 *
 * @throws TesseraError `invalid_request` for a part that isn't percent-encoded UTF-8
 */
export function pathParts(url: string): string[] {
  const [path = ''] = url.split('?', 1);
  return path.split('/').slice(1).map(decoded);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw failure('invalid_request', { reason: 'the address is malformed' });
  }
}
