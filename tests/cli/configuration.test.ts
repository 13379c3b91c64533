import { describe, expect, it } from 'vitest';
import { DEFAULT_REQUEST_RATES } from '../../src/catalog/limits/request-rates.js';
import { realEnvironment } from '../../src/env/real.js';
import { GRAPHQL_LIMIT_SETTINGS } from '../../src/graphql/base/limits.js';
import { LIMIT_SETTINGS } from '../../src/http/base/options.js';
import { ALL_SETTINGS, readConfiguration } from '../../src/server/configuration.js';
import { ConfigurationError, type Setting, variableName } from '../../src/server/setting.js';
import { GRAPHQL_LIMITS } from '../../src/server/settings/graphql.js';
import { LIMITS } from '../../src/server/settings/limits.js';
import { defaultMemoryLimits } from '../../src/session/resources/server-memory.js';

type Flags = Readonly<Record<string, string>>;

function read(flags: Flags = {}, environment: Flags = {}) {
  return readConfiguration(
    (setting) => Object.entries(flags).find(([flag]) => names(setting).includes(flag))?.[1],
    environment,
  );
}

const names = ({ flag }: Setting<unknown>) => flag.split(/[ ,]+/);

describe('settings', () => {
  it('have usable defaults', () => {
    const configuration = read();
    expect(configuration).toMatchObject({
      path: './data',
      bind: { host: '127.0.0.1', port: 8000 },
      user: undefined,
      log: 'info',
      allowExperimental: [],
      graphqlJson: 'results',
      allowGuests: false,
    });
    expect(configuration.limits.sqlBody).toBe(2 ** 20);
  });

  it('come from the command line, else ours, else the peer’s variable', () => {
    const peer = { SURREAL_BIND: '0.0.0.0:3' };
    const ours = { ...peer, SVC_BIND: '0.0.0.0:2' };
    expect(read({}, peer).bind.port).toBe(3);
    expect(read({}, ours).bind.port).toBe(2);
    expect(read({ '--bind': '0.0.0.0:1' }, ours).bind.port).toBe(1);
    expect(read({}, { SVC_BIND: '' }).bind.port).toBe(8000);
  });

  it('have variables of one pattern, no two the same', () => {
    const variables = ALL_SETTINGS.map(variableName);
    expect(new Set(variables).size).toBe(ALL_SETTINGS.length);
    for (const variable of variables) expect(variable).toMatch(/^SVC_[A-Z_]+$/);
    expect(read({}, { SVC_PATH: 'memory' }).path).toBe('memory');
  });

  it('exist for every limit that an error names', () => {
    for (const [limit, flag] of Object.entries(LIMIT_SETTINGS)) {
      expect(LIMITS[limit as keyof typeof LIMITS].flag).toContain(flag);
    }
    for (const [limit, flag] of Object.entries(GRAPHQL_LIMIT_SETTINGS)) {
      expect(GRAPHQL_LIMITS[limit as keyof typeof GRAPHQL_LIMITS].flag).toContain(flag);
    }
    expect(read({ '--max-message': '64KiB' }).limits.message).toBe(65_536);
    expect(read({}, { SVC_MAX_GRAPHQL_DEPTH: '7' }).graphqlLimits.depth).toBe(7);
  });

  it('take sizes of memory, or shares of the heap', () => {
    const { limit } = realEnvironment.heap;
    expect(read().memoryLimits).toEqual(defaultMemoryLimits(limit));
    expect(read({ '--max-memory': '50%' }).memoryLimits.total).toBe(Math.floor(limit / 2));
    expect(read({ '--max-request-memory': '64MiB' }).memoryLimits.request).toBe(64 * 2 ** 20);
    expect(read({ '--max-guest-memory': '8GiB' }).memoryLimits.guest).toBe(8 * 2 ** 30);
    for (const wrong of ['0%', '101%', '%', '1.5%']) {
      expect(() => read({ '--max-memory': wrong })).toThrow(ConfigurationError);
    }
    expect(() => read({ '--max-answer': '65MiB' })).toThrow('--max-answer');
  });

  it('switch GraphQL on by either name', () => {
    expect(read({}, { SVC_EXPERIMENTAL_GRAPHQL: 'true' }).allowExperimental).toEqual(['graphql']);
    expect(read({}, { SVC_EXPERIMENTAL_GRAPHQL: 'false' }).allowExperimental).toEqual([]);
    expect(read({ '--allow-experimental': 'graphql' }).allowExperimental).toEqual(['graphql']);
  });

  it('allow and deny, the more specific before the general', () => {
    const everything = read({ '--allow-all': 'true' });
    expect(everything).toMatchObject({
      allowGuests: true,
      allowScripting: true,
      allowFuncs: 'all',
      allowNet: 'all',
      allowExperimental: [],
    });
    const nothing = read({ '--deny-all': 'true', '--allow-all': 'true' });
    expect(nothing).toMatchObject({ allowGuests: false, allowScripting: false, allowFuncs: [], allowNet: [] });
    const some = read({ '--deny-all': 'true', '--allow-guests': 'true', '--allow-funcs': 'string' });
    expect(some).toMatchObject({ allowGuests: true, allowFuncs: ['string'], allowNet: [] });
    expect(read({ '--allow-guests': 'true', '--deny-guests': 'true' }).allowGuests).toBe(false);
    expect(read({ '--allow-experimental': 'true' }).allowExperimental).toEqual(['graphql']);
    expect(
      read({ '--allow-experimental': 'graphql,files', '--deny-experimental': 'graphql' }).allowExperimental,
    ).toEqual(['files']);
  });

  it('take levels of the log with filters beside them', () => {
    expect(read({ '--log': 'warn,surreal=trace' }).log).toBe('warn');
    expect(() => read({ '--log': 'surreal=trace' })).toThrow('--log');
  });

  it.each([
    ['[::1]:8000', { host: '::1', port: 8000 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
  ])('read the address %s', (text, address) => {
    expect(read({ '--bind': text }).bind).toEqual(address);
  });

  it.each([
    [{ '--bind': '8000' }, '--bind'],
    [{ '--bind': '127.0.0.1:99999' }, '--bind'],
    [{ '--bind': '::1:8000' }, '--bind'],
    [{ '--log': 'loud' }, '--log'],
    [{ '--max-message': '10 MB' }, '--max-message'],
    [{ '--max-message': '0' }, '--max-message'],
    [{ '--max-message': '4GiB' }, '--max-message'],
    [{ '--max-connections': '-1' }, '--max-connections'],
    [{ '--query-timeout': '5' }, '--query-timeout'],
    [{ '--ping-interval': 'none' }, '--ping-interval'],
    [{ '--allow-experimental': 'magic' }, '--allow-experimental'],
    [{ '--user': 'root' }, '--pass'],
    [{ '--user': 'root', '--pass': '' }, '--pass'],
    [{ '--web-crt': 'a.pem' }, '--web-key'],
    [{ '--client-ip': 'X-Forwarded-For' }, '--trusted-proxy'],
    [{ '--trusted-proxy': '10.0.0.0/33' }, '--trusted-proxy'],
    [{ '--trusted-proxy': 'proxy.example' }, '--trusted-proxy'],
  ])('stop the start when they are bad: %j', (flags, named) => {
    expect(() => read(flags as Flags)).toThrow(ConfigurationError);
    expect(() => read(flags as Flags)).toThrow(named);
  });

  it('of mail need each other, and of the server’s addresses take one form', () => {
    const flags = { '--mail-url': 'smtps://shop@mail.example', '--mail-from': 'The Shop <no-reply@shop.example>' };
    expect(read({ ...flags, '--mail-password-file': 'x' })).toMatchObject({
      mailUrl: { host: 'mail.example', port: 465, implicitTls: true, user: 'shop' },
      mailFrom: { name: 'The Shop', address: 'no-reply@shop.example' },
    });
    expect(() => read(flags)).toThrow('A user in --mail-url and --mail-password-file need each other');
    expect(() => read({ '--mail-url': 'smtp://mail.example' })).toThrow('--mail-url and --mail-from need each other');
    expect(() => read({ ...flags, '--mail-url': 'smtp://mail.example', '--mail-password-file': 'x' })).toThrow(
      'A user',
    );
    expect(() => read({ ...flags, '--mail-from': 'shop' })).toThrow('--mail-from: "shop" is neither');
    const secret = () => read({ ...flags, '--mail-url': 'smtps://shop:guess@mail.example' });
    expect(secret).toThrow('--mail-url: it can');
    expect(secret).not.toThrow('guess');
    const urls = 'https://DB.example/, http://127.0.0.1:8000/db/';
    expect(read({ '--public-url': urls }).publicUrl).toEqual(['https://db.example', 'http://127.0.0.1:8000/db']);
    expect(read().publicUrl).toEqual([]);
    for (const bad of ['db.example', 'ftp://db.example', 'https://a:b@db.example', 'https://db.example/?x'])
      expect(() => read({ '--public-url': bad })).toThrow('--public-url: ');
  });

  it('name the variable that is bad', () => {
    expect(() => read({}, { SVC_LOG: 'loud' })).toThrow('SVC_LOG: "loud" is none of');
    expect(() => read({}, { SURREAL_LOG: 'loud' })).toThrow('SURREAL_LOG');
    expect(() => read({}, { SVC_EXPERIMENTAL_GRAPHQL: 'yes please' })).toThrow('SVC_EXPERIMENTAL_GRAPHQL');
  });
});

describe('rates of requests', () => {
  it('are given as so many in a time, or none', () => {
    expect(read().rates).toEqual(DEFAULT_REQUEST_RATES);
    const { rates } = read({ '--signup-rate': '5/10s', '--guest-rate': 'none' }, { SVC_GUEST_RATE_DATABASE: '7/1h' });
    expect(rates).toEqual({
      ...DEFAULT_REQUEST_RATES,
      signUps: { burst: 5, per: 2_000_000_000n },
      guestCalls: undefined,
      guestCallsInDatabase: { burst: 7, per: 3_600_000_000_000n / 7n },
    });
  });

  it.each(['30', '0/1h', '/1h', '30/', '30/0s', '30/none', '30/1h/1', '-1/1h', '1.5/1h', '30 / 1h', '1/1y', '1/25d'])(
    'refuse %j',
    (text) => {
      expect(() => read({}, { SVC_SIGNUP_RATE: text })).toThrow(ConfigurationError);
    },
  );
});
