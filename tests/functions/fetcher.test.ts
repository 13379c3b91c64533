/** What may be called, and what is judged again on the way. */
import { describe, expect, it } from 'vitest';
import { realEnvironment } from '../../src/env/real.js';
import { TesseraError } from '../../src/errors/error.js';
import { Fetcher } from '../../src/functions/network/fetcher.js';
import { type AllowedTargets, type NetworkTarget, readTarget } from '../../src/functions/network/targets.js';
import { type FakeInternet, type FakeNetwork, fakeNetwork } from '../support/fake-network.js';

const targets = (list: 'all' | readonly string[]): AllowedTargets =>
  list === 'all' ? list : list.map((text) => readTarget(text) as NetworkTarget);

interface Rules {
  readonly allow: 'all' | readonly string[];
  readonly deny?: 'all' | readonly string[];
}

const INTERNET: FakeInternet = {
  names: {
    'example.com': ['93.184.215.14'],
    'other.example': ['93.184.215.15'],
    'inside.example': ['10.0.0.5'],
    'mixed.example': ['93.184.215.14', '127.0.0.1'],
    'metadata.example': ['169.254.169.254'],
    localhost: ['127.0.0.1'],
  },
  servers: Object.fromEntries(
    ['93.184.215.14', '93.184.215.15', '10.0.0.5', '127.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1'].flatMap(
      (address) =>
        [80, 443, 8080].map((port) => [
          `${address}:${port}`,
          ({ url }) => {
            const to = url.searchParams.get('to');
            const body = Buffer.from(`${url.hostname}@${address}`);
            if (to === null) return { headers: { 'content-type': 'text/plain' }, body };
            return { status: Number(url.searchParams.get('status') ?? 302), headers: { location: to } };
          },
        ]),
    ),
  ),
};

async function outcome({ allow, deny = [] }: Rules, url: string, network: FakeNetwork = fakeNetwork(INTERNET)) {
  const fetcher = new Fetcher({ ...realEnvironment, network }, { allow: targets(allow), deny: targets(deny) });
  try {
    const { body } = await fetcher.fetch({ url, method: 'GET' }, () => {});
    return Buffer.from(body).toString();
  } catch (error) {
    if (error instanceof TesseraError) return error.message;
    throw error;
  }
}

const denied = (target: string) => `Access to network target '${target}' is not allowed`;

describe('targets', () => {
  it.each<[Rules, string, string]>([
    [{ allow: [] }, 'http://example.com/', denied('example.com:80')],
    [{ allow: 'all' }, 'http://example.com/', 'example.com@93.184.215.14'],
    [{ allow: 'all' }, 'https://example.com/', 'example.com@93.184.215.14'],
    [{ allow: 'all', deny: 'all' }, 'http://example.com/', denied('example.com:80')],
    [{ allow: ['example.com'], deny: 'all' }, 'http://example.com/', 'example.com@93.184.215.14'],
    [{ allow: ['example.com'], deny: ['example.com'] }, 'http://example.com/', denied('example.com:80')],
    [{ allow: ['Example.COM'] }, 'http://EXAMPLE.com/', 'example.com@93.184.215.14'],
    [{ allow: ['example.com:443'] }, 'http://example.com/', denied('example.com:80')],
    [{ allow: ['example.com:443'] }, 'https://example.com/', 'example.com@93.184.215.14'],
    [{ allow: ['example.com'] }, 'http://other.example/', denied('other.example:80')],
    [{ allow: 'all', deny: ['example.com:80'] }, 'https://example.com/', 'example.com@93.184.215.14'],
    [{ allow: 'all', deny: ['93.184.215.0/24'] }, 'http://example.com/', denied('example.com:80')],
    [{ allow: ['93.184.215.14'] }, 'http://example.com/', 'example.com@93.184.215.14'],
    [{ allow: ['127.0.0.1', '::/0'], deny: ['127.0.0.1'] }, 'http://[::ffff:127.0.0.1]/', denied('[::ffff:7f00:1]:80')],
    [{ allow: ['93.184.215.14'] }, 'http://other.example/', denied('other.example:80')],
    [{ allow: 'all' }, 'http://nowhere.example/', 'failed to lookup address information: Name or service not known'],
    [{ allow: 'all' }, 'nonsense', 'The URL `nonsense` is invalid'],
    [{ allow: 'all' }, 'file:///etc/passwd', 'The URL `file:///etc/passwd` is invalid'],
    [
      { allow: 'all' },
      'ftp://example.com/x',
      'There was an error processing a remote HTTP request: builder error for url (ftp://example.com/x)',
    ],
  ])('%j: %s', async (rules, url, expected) => {
    expect(await outcome(rules, url)).toBe(expected);
  });

  it('looks up no name that can’t be allowed', async () => {
    const network = fakeNetwork(INTERNET);
    await outcome({ allow: ['other.example'] }, 'http://example.com/', network);
    expect(network.looked).toEqual([]);
  });

  it.each(['', 'a b', 'http://x', '1.2.3.4/33', '::1/129', '[1.2.3.4]', 'x:65536', 'x:', '*'])('%j is none', (text) => {
    expect(readTarget(text)).toBeUndefined();
  });
});

describe('addresses that are not of the internet', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://10.0.0.5/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/',
    'http://localhost/',
    'http://inside.example/',
    'http://mixed.example/',
    'http://metadata.example/',
  ])('%s has to be named', async (url) => {
    const { hostname } = new URL(url);
    expect(await outcome({ allow: 'all' }, url)).toBe(denied(`${hostname}:80`));
    // Names count for nothing here, even those that are allowed.
    if (/[a-z]{5}/.test(hostname)) expect(await outcome({ allow: [hostname] }, url)).toBe(denied(`${hostname}:80`));
  });

  it.each([
    [['127.0.0.1'], 'http://127.0.0.1/'],
    [['127.0.0.0/8'], 'http://localhost/'],
    [['[::1]:80'], 'http://[::1]/'],
    [['10.0.0.0/8'], 'http://inside.example/'],
    [['127.0.0.1', 'mixed.example'], 'http://mixed.example/'],
  ])('%j allows %s', async (allow, url) => {
    expect(await outcome({ allow }, url)).toContain('@');
  });
});

describe('on the way', () => {
  it('connects to the address that was judged, looked up once', async () => {
    let times = 0;
    const network = fakeNetwork(INTERNET);
    const rebinding: FakeNetwork = {
      ...network,
      resolve: async () => (times++ === 0 ? ['93.184.215.14'] : ['127.0.0.1']),
    };
    expect(await outcome({ allow: 'all' }, 'http://example.com/', rebinding)).toBe('example.com@93.184.215.14');
    expect(times).toBe(1);
  });

  it.each<[Rules, string, string]>([
    [{ allow: 'all' }, '/there', 'example.com@93.184.215.14'],
    [{ allow: 'all' }, 'http://other.example/', 'other.example@93.184.215.15'],
    [{ allow: 'all' }, 'http://127.0.0.1/', denied('127.0.0.1:80')],
    [{ allow: 'all' }, 'http://inside.example/', denied('inside.example:80')],
    [{ allow: ['example.com:80'] }, 'http://example.com:8080/', denied('example.com:8080')],
    [{ allow: ['example.com'] }, 'http://other.example/', denied('other.example:80')],
    [
      { allow: 'all' },
      'file:///etc/passwd',
      'There was an error processing a remote HTTP request: builder error for url (file:///etc/passwd)',
    ],
  ])('%j redirected to %s', async (rules, to, expected) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const url = `http://example.com/?status=${status}&to=${encodeURIComponent(to)}`;
      const told = await outcome(rules, url);
      expect(told).toBe(expected);
    }
  });

  it('gives no credentials to another origin', async () => {
    const network = fakeNetwork(INTERNET);
    const fetcher = new Fetcher({ ...realEnvironment, network }, { allow: 'all', deny: [] });
    const headers = { authorization: 'Bearer secret', cookie: 'a=b', 'x-own': 'stays' };
    await fetcher.fetch({ url: 'http://example.com/?to=http://other.example/', method: 'GET', headers }, () => {});
    expect(network.sent.map((hop) => Object.keys(hop.headers).sort())).toEqual([
      ['accept', 'authorization', 'cookie', 'user-agent', 'x-own'],
      ['accept', 'user-agent', 'x-own'],
    ]);
  });

  it('shows no credentials in errors', async () => {
    const network = fakeNetwork({ names: { 'example.com': ['93.184.215.14'] } });
    const told = await outcome({ allow: 'all' }, 'http://user:secret@example.com/', network);
    expect(told).toBe(
      'There was an error processing a remote HTTP request: error sending request for url (http://example.com/)',
    );
  });

  it('fails at a redirect to what is no URL', async () => {
    const to = encodeURIComponent('http://[');
    expect(await outcome({ allow: 'all' }, `http://user:secret@example.com/?to=${to}`)).toBe(
      `There was an error processing a remote HTTP request: error following redirect for url (http://example.com/?to=${to}): its location is no URL`,
    );
  });

  it('follows ten redirects, and fails at the next', async () => {
    const network = fakeNetwork(INTERNET);
    const loop = {
      ...network,
      exchange: async (hop: Parameters<FakeNetwork['exchange']>[0]) => {
        await network.exchange(hop);
        return { status: 302, headers: { location: '/again' }, body: new Uint8Array(0) };
      },
    };
    expect(await outcome({ allow: 'all' }, 'http://example.com/', loop)).toBe(
      'There was an error processing a remote HTTP request: error following redirect for url (http://example.com/again): too many redirects',
    );
    expect(network.sent.length).toBe(11);
  });

  it('gives up when its time is over, and when the statement may not go on', async () => {
    const waiting = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const network: FakeNetwork = { ...fakeNetwork(INTERNET), exchange: ({ signal }) => waiting(signal) };
    let passed = () => {};
    const timers = {
      ...realEnvironment.timers,
      after: (_: number, run: () => void) => {
        passed = run;
        return () => {};
      },
    };
    const fetcher = (time: number) =>
      new Fetcher({ ...realEnvironment, network, timers }, { allow: 'all', deny: [] }, { time, response: 10 });
    const request = { url: 'http://example.com/', method: 'GET' };
    const late = fetcher(50).fetch(request, () => {});
    passed();
    await expect(late).rejects.toThrow('no answer within 50 ms');
    const cancelled = fetcher(1_000).fetch(request, () => {
      throw new TypeError('cancelled');
    });
    passed();
    await expect(cancelled).rejects.toThrow('cancelled');
  });

  it('takes https alone where a setting says so', async () => {
    const network = fakeNetwork(INTERNET);
    const fetcher = new Fetcher({ ...realEnvironment, network }, { allow: 'all', deny: [] });
    const secure = (url: string) => fetcher.fetch({ url, method: 'GET', secure: true }, () => {});
    await expect(secure('http://example.com/')).rejects.toThrow('builder error');
    await expect(secure('https://example.com/?to=http://example.com/')).rejects.toThrow('builder error');
    expect((await secure('https://example.com/')).status).toBe(200);
  });
});
