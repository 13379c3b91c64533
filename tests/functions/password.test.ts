/** `password::common`: the list is the one that it says it is; `password::breached`: what leaves the server. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { packed } from '../../scripts/pack-passwords.mjs';
import type { NetworkAnswer } from '../../src/env/network.js';
import { realEnvironment } from '../../src/env/real.js';
import { isCommonPassword } from '../../src/functions/password/common-passwords.js';
import { fakeNetwork } from '../support/fake-network.js';
import { openOwned } from '../support/owned.js';

const load = createRequire(import.meta.url);
const { dictionary } = load('@zxcvbn-ts/language-common') as typeof import('@zxcvbn-ts/language-common');
const ranked = dictionary['passwords-common'] as string[];

describe('password::common', () => {
  test('has the list that npm run passwords makes of the library', () => {
    const { version } = load('@zxcvbn-ts/language-common/package.json') as { version: string };
    expect(readFileSync('src/functions/password/most-used.ts', 'utf8')).toBe(packed(ranked, version));
  });

  test('knows the 10,000 first, and no others', async () => {
    const found = await Promise.all(ranked.map((password) => isCommonPassword(password)));
    expect(found.indexOf(false)).toBe(10_000);
    expect(found.lastIndexOf(true)).toBe(9_999);
    expect(isCommonPassword(String(ranked[9_999]).toUpperCase())).toBe(true);
  });
});

const HOST = 'api.pwnedpasswords.com';
const ADDRESS = '104.16.0.1';
const hash = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase();

async function openWith(answer: Partial<NetworkAnswer>, allow: 'all' | [] = 'all') {
  const network = fakeNetwork({ names: { [HOST]: [ADDRESS] }, servers: { [`${ADDRESS}:443`]: () => answer } });
  const owned = await openOwned({ environment: { ...realEnvironment, network }, network: { allow } });
  return { ...owned, network };
}

describe('password::breached', () => {
  const lines = (...entries: string[]) => Buffer.from(entries.join('\r\n'));
  const suffix = hash('password').slice(5);
  const other = hash('another').slice(5);

  test.each([
    ['found', lines(`${other}:1`, `${suffix}:9659365`, `${other}:3`), true],
    ['the last one', lines(`${other}:1`, `${suffix}:1`), true],
    ['in lower case', lines(`${other}:1`, `${suffix.toLowerCase()}:12`), true],
    ['with line feeds alone', Buffer.from(`${suffix}:7\n${other}:1\n`), true],
    ['not found', lines(`${other}:1`), false],
    ['one that fills the answer up', lines(`${other}:1`, `${suffix}:0`), false],
    ['within another line', lines(`${other}${suffix}:5`, `${suffix}5:3`), false],
    ['without a number', lines(`${suffix}:`, suffix), false],
    ['nothing', lines(), false],
  ])('%s', async (_, body, expected) => {
    const { value, database } = await openWith({ body });
    expect(await value("RETURN password::breached('password')")).toBe(expected);
    await database.close();
  });

  test('sends five digits of the hash, and asks for padding', async () => {
    const { value, network, database } = await openWith({ body: lines(`${other}:1`) });
    await value("RETURN password::breached('password')");
    expect(network.sent).toHaveLength(1);
    const [hop] = network.sent;
    expect([hop?.method, String(hop?.url), hop?.body]).toEqual([
      'GET',
      `https://${HOST}/range/${hash('password').slice(0, 5)}`,
      undefined,
    ]);
    expect(hop?.headers).toMatchObject({ 'add-padding': 'true' });
    expect(JSON.stringify(hop)).not.toContain(suffix);
    expect(JSON.stringify(hop)).not.toContain('"password"');
    await database.close();
  });

  test('fails with words of ours where the service or the network does, and says nothing of the password', async () => {
    for (const [answer, allow, code] of [
      [{ status: 503 }, 'all', 'http_failed'],
      [{ status: 204 }, 'all', 'http_failed'],
      [{ body: lines(`${suffix}:1`) }, [], 'network_target_denied'],
    ] as const) {
      const { value, database } = await openWith(answer, allow as 'all' | []);
      const failed = await value("RETURN password::breached('hush hush')").catch((error) => error);
      expect(failed.code).toBe(code);
      expect(failed.message).not.toContain('hush');
      await database.close();
    }
  });

  test('isn’t called by EXPLAIN, nor when it is defined', async () => {
    const { value, network, database } = await openWith({ body: lines() });
    await value('DEFINE TABLE t; CREATE t:1; DEFINE FIELD bad ON t COMPUTED password::breached("x")');
    await value('EXPLAIN SELECT id FROM t WHERE password::breached("x")');
    expect(network.sent).toHaveLength(0);
    await database.close();
  });
});
