import { type Network, type NetworkAnswer, NetworkError, type NetworkHop } from '../../src/env/network.js';

/** Servers by `address:port`, and the addresses of names; whatever isn't there can't be reached. */
export interface FakeInternet {
  readonly names?: Readonly<Record<string, readonly string[]>>;
  readonly servers?: Readonly<Record<string, (hop: NetworkHop) => Partial<NetworkAnswer> | Promise<NetworkAnswer>>>;
}

export interface FakeNetwork extends Network {
  /** What was looked up and what was sent, in order. */
  readonly looked: string[];
  readonly sent: NetworkHop[];
}

export function fakeNetwork({ names = {}, servers = {} }: FakeInternet = {}): FakeNetwork {
  const looked: string[] = [];
  const sent: NetworkHop[] = [];
  return {
    looked,
    sent,
    async resolve(host) {
      looked.push(host);
      if (/^[\d.]+$|:/.test(host)) return [host];
      const addresses = names[host];
      if (addresses === undefined) throw new NetworkError('unknown');
      return addresses;
    },
    async exchange(hop) {
      sent.push(hop);
      const port = hop.url.port || (hop.url.protocol === 'https:' ? '443' : '80');
      const server = servers[`${hop.address}:${port}`];
      if (server === undefined) throw new NetworkError('unreachable');
      return { status: 200, headers: {}, body: new Uint8Array(0), ...(await server(hop)) };
    },
  };
}
