/** Which version this is, and which a server is. */
import { VERSION } from '../base/package-version.js';
import { PROTOCOL_VERSION } from '../rpc/version.js';
import { ServerError } from './client/server-error.js';
import { unreachableServer } from './client/unreachable-server.js';
import { httpAddress } from './is-ready.js';

export const OWN_VERSION = `tessera ${VERSION} (speaks ${PROTOCOL_VERSION})`;

const DEADLINE = 5_000;
/** No version is longer; a stranger's answer may be. */
const LONGEST = 100;

/**
 * `server tessera/0.1.0 (speaks surrealdb-3.0.2)`.
 * @throws ServerError if the endpoint doesn't report a version
 */
export async function serverVersion(endpoint: string): Promise<string> {
  const response = await ask(endpoint);
  const spoken = (await response.text()).trim();
  if (!response.ok || !/^[\x21-\x7e]{1,100}$/.test(spoken)) {
    throw new ServerError(`The server at ${endpoint} does not report its version`);
  }
  const product = response.headers.get('server')?.slice(0, LONGEST);
  return product === undefined ? `server ${spoken}` : `server ${product} (speaks ${spoken})`;
}

async function ask(endpoint: string): Promise<Response> {
  const url = httpAddress(endpoint, 'version');
  try {
    return await fetch(url, { signal: AbortSignal.timeout(DEADLINE) });
  } catch (error) {
    throw unreachableServer(url, error);
  }
}
