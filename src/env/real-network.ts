import { lookup } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp, validateHeaderName, validateHeaderValue } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { ByteCollector } from '../base/byte-collector.js';
import { type Network, type NetworkAnswer, NetworkError, type NetworkHop } from './network.js';

/** The network of this machine. */
export const realNetwork: Network = {
  async resolve(host) {
    if (isIP(host) !== 0) return [host];
    try {
      return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
    } catch (error) {
      throw new NetworkError('unknown', error);
    }
  },

  exchange(hop) {
    return new Promise((resolve, reject) => {
      checkHeaders(hop.headers);
      const send = hop.url.protocol === 'https:' ? requestHttps : requestHttp;
      const request = send(hop.url, {
        method: hop.method,
        headers: hop.headers,
        signal: hop.signal,
        // A new connection to exactly the address that the rules were applied to.
        agent: false,
        lookup: (_host, { all }, found) => {
          const family = isIP(hop.address);
          if (all === true) found(null, [{ address: hop.address, family }]);
          else found(null, hop.address, family);
        },
      });
      request.once('error', (error) => reject(new NetworkError('unreachable', error)));
      request.once('response', (response) => takeAnswer(response, hop.maxBytes).then(resolve, reject));
      request.end(hop.body);
    });
  },
};

function checkHeaders(headers: NetworkHop['headers']): void {
  try {
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
  } catch (error) {
    throw new NetworkError('invalid', error);
  }
}

async function takeAnswer(response: IncomingMessage, maxBytes: number): Promise<NetworkAnswer> {
  const collected = new ByteCollector();
  collected.expect(maxBytes);
  let isTooLarge = false;
  try {
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      isTooLarge = collected.length + chunk.length > maxBytes;
      if (isTooLarge) break;
      collected.append(chunk);
    }
  } catch (error) {
    throw new NetworkError('unreachable', error);
  }
  if (isTooLarge) throw new NetworkError('too-large');
  const { 'content-type': type, location } = response.headers;
  return {
    status: response.statusCode ?? 0,
    headers: { 'content-type': type, location },
    body: collected.take(),
  };
}
