/** The client's address: the peer of the socket, or a header of a trusted proxy. */
import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';
import { plainAddress } from '../../base/source-network.js';

export type ClientAddressSource =
  | { readonly from: 'socket' }
  | { readonly from: 'none' }
  /** A lower-case header that trusted proxies set; for other peers the socket's address counts. */
  | { readonly from: 'header'; readonly header: string; readonly trusted: BlockList };

/** The client's IP address: the socket's, or that of the header if a trusted proxy sent it; `undefined` if unknown. */
export function clientAddress(request: IncomingMessage, source: ClientAddressSource): string | undefined {
  if (source.from === 'none') return undefined;
  const { remoteAddress } = request.socket;
  const peer = remoteAddress && plainAddress(remoteAddress);
  if (source.from === 'socket' || peer === undefined || !isTrusted(peer, source.trusted)) return peer;
  const header = request.headers[source.header];
  if (header === undefined) return peer;
  return nearestUntrusted(String(header), source.trusted) ?? peer;
}

/**
 * Proxies append the address of their peer, so the last one that isn't a trusted proxy is the client; earlier ones may
 * be forged.
 */
function nearestUntrusted(header: string, trusted: BlockList): string | undefined {
  let nearest: string | undefined;
  for (const part of header.split(',').reverse()) {
    const address = plainAddress(part.trim());
    if (isIP(address) === 0) return nearest;
    nearest = address;
    if (!isTrusted(address, trusted)) return nearest;
  }
  return nearest;
}

function isTrusted(address: string, trusted: BlockList): boolean {
  const family = isIP(address);
  return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
}
