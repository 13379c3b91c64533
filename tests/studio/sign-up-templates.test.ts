/** The statements that *Set up sign-up* runs, in process: the server takes them, and users sign up and in. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type EmbeddedSession, Tessera } from '../../src/embedded/index.js';
import { callsOf } from '../../studio/views/people/sign-up-calls.js';
import {
  DEFAULTS,
  faultOf,
  SIGN_UP_TEMPLATES,
  type SignUpWay,
  signUpStatements,
} from '../../studio/views/people/sign-up-templates.js';

let db: Tessera;
let guest: EmbeddedSession;
beforeEach(async () => {
  db = await Tessera.open();
  await db.use('test', 'test');
  guest = db.session();
  await guest.use('test', 'test');
});
afterEach(() => db.close());

const WAYS = Object.keys(SIGN_UP_TEMPLATES) as SignUpWay[];
const HOSTILE = '`; REMOVE TABLE user; --\'"\\';

it.each(WAYS)('defines %s in one transaction, by names of any kind', async (way) => {
  for (const [table, access] of [
    ['user', 'account'],
    ['the users & more', HOSTILE],
  ] as const) {
    const entries = { ...DEFAULTS, way, table, access };
    expect(faultOf(entries)).toBe('');
    await db.query(`BEGIN; ${signUpStatements(entries).join(';')}; COMMIT`);
    const [info] = await db.query<[{ tables: object; accesses: object }]>('INFO FOR DB');
    expect(Object.keys(info.tables)).toContain(table);
    expect(Object.keys(info.accesses)).toContain(access);
  }
});

it('lets users sign up and in by password, once for each address, and see themselves alone', async () => {
  await db.query(signUpStatements(DEFAULTS).join(';'));
  const account = { NS: 'test', DB: 'test', AC: 'account' };
  const ann = { ...account, email: 'Ann@example.com', password: 'correct horse battery' };
  await guest.signUp(ann);
  await guest.signUp({ ...account, email: 'bob@example.com', password: 'another horse battery' });
  await expect(guest.signUp(ann)).rejects.toThrow();
  for (const password of ['short', 'Password123']) {
    await expect(guest.signUp({ ...account, email: 'eve@example.com', password })).rejects.toThrow();
  }
  await expect(guest.signIn({ ...ann, password: 'a wrong password' })).rejects.toThrow();
  await guest.signIn({ ...ann, email: 'ann@EXAMPLE.com' });
  expect(await guest.query('SELECT VALUE email FROM user')).toEqual([['ann@example.com']]);
  expect(await guest.query('SELECT VALUE password FROM user')).toEqual([[undefined]]);
});

it('begins a passkey, and lacks nothing for mails but a mail server', async () => {
  const begun = { NS: 'test', DB: 'test', challenge: 'A'.repeat(43) };
  for (const way of ['mail', 'passkey'] as const) {
    await db.query(signUpStatements({ ...DEFAULTS, way, table: way, access: way }).join(';'));
    expect(await db.query(`INFO FOR ACCESS ${way}`)).toEqual([{ ready: true }]);
  }
  const passkey = await guest.startSignIn({ ...begun, AC: 'passkey', signup: true, variables: { name: 'Ann' } });
  expect(passkey).toHaveProperty('request');
  await expect(guest.startSignIn({ ...begun, AC: 'mail', email: 'ann@example.com' })).rejects.toThrow('CONFIG MAIL');
});

it('lets nothing into a statement that is no duration and no page', () => {
  const faulty = { ...DEFAULTS, token: '1h; REMOVE TABLE user' };
  expect(faultOf(faulty)).toContain('is no duration');
  expect(signUpStatements(faulty).join(';')).not.toContain('REMOVE');
  expect(faultOf({ ...DEFAULTS, way: 'passkey', page: 'shop' })).toContain('Write the page');
  expect(faultOf({ ...DEFAULTS, table: ' ' })).toContain('need names');
});

it('names the place in each call', () => {
  const place = { server: 'http://127.0.0.1:8000', namespace: 'shop', database: "o'brien" };
  const calls = callsOf(DEFAULTS, place);
  expect(calls.map(({ title }) => title)).toEqual(['JavaScript', 'curl', 'Python']);
  expect(calls[1]?.code).toContain(`"DB":"o'\\''brien","AC":"account"`);
  for (const way of WAYS) {
    expect(callsOf({ ...DEFAULTS, way }, place)[0]?.code).toContain('"ws://127.0.0.1:8000/rpc"');
  }
});
