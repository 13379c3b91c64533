/** Attacks by requests that the database is made to send (56 to 58, and 76). */
import { expect } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { type NetworkTarget, readTarget } from '../../src/functions/network/targets.js';
import { type FakeNetwork, fakeNetwork } from '../support/fake-network.js';
import { answer, World } from '../support/world.js';
import { attack } from './attack.js';

async function asked(text: string, network: FakeNetwork, allow: 'all' | readonly string[]): Promise<string> {
  const targets = allow === 'all' ? allow : allow.map((each) => readTarget(each) as NetworkTarget);
  const world = await World.open({ environment: { ...realEnvironment, network }, network: { allow: targets } });
  try {
    return await answer(await world.person('eve'), text);
  } finally {
    await world.close();
  }
}

const INSIDE = ['127.0.0.1:80', '10.0.0.1:80', '169.254.169.254:80', '93.184.215.14:22'];
const inside = Object.fromEntries(
  INSIDE.map((address) => [
    address,
    () => ({ headers: { 'content-type': 'text/plain' }, body: Buffer.from('secret') }),
  ]),
);
const NAMES = {
  'example.com': ['93.184.215.14'],
  'inside.example': ['10.0.0.1'],
  'cloud.example': ['169.254.169.254'],
};

attack(56, 'a redirect to a denied address is refused', async () => {
  for (const location of ['http://127.0.0.1/', 'http://inside.example/', 'http://169.254.169.254/latest']) {
    for (const status of [301, 302, 303, 307, 308]) {
      const redirecting = { '93.184.215.14:80': () => ({ status, headers: { location } }) };
      const network = fakeNetwork({ names: NAMES, servers: { ...inside, ...redirecting } });
      for (const call of [
        'get("http://example.com/")',
        'post("http://example.com/", {})',
        'head("http://example.com/")',
      ]) {
        expect(await asked(`RETURN http::${call}`, network, 'all')).toContain('network_target_denied');
      }
      expect(network.sent.every(({ address }) => address === '93.184.215.14')).toBe(true);
    }
  }
});

attack(57, 'names of addresses inside are refused, and no name is looked up twice', async () => {
  for (const host of ['inside.example', 'cloud.example', '127.0.0.1', '2130706433', '[::1]', '[::ffff:10.0.0.1]']) {
    const network = fakeNetwork({ names: NAMES, servers: inside });
    expect(await asked(`RETURN http::get('http://${host}/')`, network, 'all')).toContain('network_target_denied');
    expect(await asked(`RETURN http::get('http://${host}/')`, network, ['inside.example'])).toContain(
      'network_target_denied',
    );
    expect(network.sent).toEqual([]);
  }
  let looked = 0;
  const network = fakeNetwork({ servers: inside });
  const rebinding = { ...network, resolve: async () => (looked++ === 0 ? ['93.184.215.99'] : ['127.0.0.1']) };
  await asked("RETURN http::get('http://example.com/')", rebinding, 'all');
  expect(network.sent.map(({ address }) => address)).toEqual(['93.184.215.99']);
});

attack(58, 'a redirect to a denied port of an allowed host is refused', async () => {
  const redirecting = { '93.184.215.14:80': () => ({ status: 302, headers: { location: 'http://example.com:22/' } }) };
  const network = fakeNetwork({ names: NAMES, servers: { ...inside, ...redirecting } });
  const told = await asked("RETURN http::get('http://example.com/')", network, ['example.com:80']);
  expect(told).toContain('network_target_denied');
});

/** Each host sends on to the next, the last one back to the first. */
function chain(hosts: readonly string[], status: number): FakeNetwork {
  const addresses = hosts.map((_, at) => `93.184.215.${at + 1}`);
  return fakeNetwork({
    names: Object.fromEntries(hosts.map((host, at) => [host, [addresses[at] as string]])),
    servers: Object.fromEntries(
      addresses.map((address, at) => [
        `${address}:80`,
        () => ({ status, headers: { location: `http://${hosts[(at + 1) % hosts.length]}/` } }),
      ]),
    ),
  });
}

attack(76, 'a loop of redirects is an error, never an empty answer', async () => {
  for (const hosts of [['a.example'], ['a.example', 'b.example'], ['a.example', 'b.example', 'c.example']]) {
    for (const status of [301, 302, 303, 307, 308]) {
      for (const call of ['get(', 'head(', 'delete(', 'post(', 'put(', 'patch(']) {
        const network = chain(hosts, status);
        const told = await asked(`RETURN http::${call}'http://a.example/')`, network, 'all');
        expect(told).toMatch(/^http_failed: .*too many redirects/);
        expect(network.sent).toHaveLength(11);
      }
    }
  }
});

attack(76, 'each hop of a chain is held to the rules', async () => {
  const hosts = ['a.example', 'b.example', 'c.example', 'd.example'];
  for (let allowed = 1; allowed < hosts.length; allowed++) {
    const network = chain(hosts, 302);
    const told = await asked("RETURN http::get('http://a.example/')", network, hosts.slice(0, allowed));
    expect(told).toContain(`network_target_denied: Access to network target '${hosts[allowed]}:80' is not allowed`);
    expect(network.looked).toEqual(hosts.slice(0, allowed));
  }
});
