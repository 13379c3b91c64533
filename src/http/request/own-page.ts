/**
 * Requests that come from this machine, and from this server's own page. Pages of other sites can reach a server on
 * loopback, too: by cross-site requests (CSRF), and under a name of their own that resolves to 127.0.0.1 (DNS
 * rebinding). `Origin` and `Host` reveal both.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isLoopbackAddress } from '../../base/loopback.js';

/** Headers that proxies add, other than `X-Forwarded-…`. */
const PROXY_HEADERS: ReadonlySet<string> = new Set(['forwarded', 'via', 'x-real-ip']);

/** Whether both ends of the connection are on loopback, no proxy is between, and the URL names this machine. */
export function isLocal({ socket, headers }: IncomingMessage): boolean {
  const { remoteAddress = '', localAddress = '' } = socket;
  return (
    isLoopbackAddress(remoteAddress) &&
    isLoopbackAddress(localAddress) &&
    !isForwarded(headers) &&
    addressesOf(socket).some(({ host }) => host === headers.host)
  );
}

/** Whether a local request comes from a page of this server. Browsers send `Origin` with every POST. */
export function isFromOwnPage(request: IncomingMessage): boolean {
  if (!isLocal(request)) return false;
  const { origin, host, 'sec-fetch-site': site = 'same-origin' } = request.headers;
  const own = addressesOf(request.socket).find((address) => address.host === host);
  return origin !== undefined && origin === own?.origin && site === 'same-origin';
}

function isForwarded(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => PROXY_HEADERS.has(name) || name.startsWith('x-forwarded-'));
}

/** The URLs of this server: by name, and by the address that the connection was made to. */
function addressesOf(socket: Socket): readonly URL[] {
  const scheme = 'encrypted' in socket ? 'https' : 'http';
  const address = (socket.localAddress ?? '').replace(/^::ffff:/, '');
  const host = address.includes(':') ? `[${address}]` : address;
  return ['localhost', host].map((name) => new URL(`${scheme}://${name}:${socket.localPort}`));
}
