/** Who the client is: every way in, tokens that are renewed, and what is left without. */
import { type AccessRecordAuth, NotAllowedError, RecordId, type Surreal, Table, type Tokens } from 'surrealdb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../../src/server/server.js';
import { startDrawnServer } from '../../support/drawn-server.js';
import { MAIL_SCHEMA, mailedCode } from '../../support/mailed-code.js';
import { ROOT } from '../../support/server.js';
import { asRoot, connected, SCHEMES } from './client.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startDrawnServer('client: identity');
});
afterAll(() => server.close());

const PASSWORD = 'a long password';
const WRONG = 'There was a problem with authentication';

const claims = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

describe.each(SCHEMES)('over %s', (scheme) => {
  const database = `identity_${scheme}`;
  const databasePath = { namespace: 'test', database };
  const account = (variables: Record<string, unknown>): AccessRecordAuth => ({
    ...databasePath,
    access: 'account',
    variables,
  });
  let root: Surreal;
  let db: Surreal;

  beforeEach(async () => {
    root = await asRoot(server, scheme, database);
    await root.query(`
      DEFINE USER OVERWRITE ns_user ON NAMESPACE PASSWORD '${PASSWORD}' ROLES OWNER;
      DEFINE USER db_user ON DATABASE PASSWORD '${PASSWORD}' ROLES EDITOR DURATION FOR TOKEN 2s;
      DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth.id;
      DEFINE ACCESS account ON DATABASE TYPE RECORD
        SIGNUP (CREATE type::record('user', $name) SET pass = $pass)
        SIGNIN (SELECT * FROM type::record('user', $name) WHERE pass = $pass)
        WITH REFRESH DURATION FOR TOKEN 2s;
      DEFINE ACCESS key ON DATABASE TYPE BEARER FOR USER DURATION FOR GRANT 60s, FOR TOKEN 60s;
    `);
    db = await connected(server, scheme);
  });
  afterEach(async () => {
    await db.close();
    await root.close();
  });

  const who = async () => (await db.query<[RecordId | undefined]>('RETURN $auth.id'))[0];

  it.skipIf(scheme === 'tessera')('signs in by a code that was mailed', async () => {
    await root.query(MAIL_SCHEMA);
    const { request, code } = await mailedCode(server, root, database, `${scheme}@shop.example`);
    const mail = (variables: Record<string, unknown>) => ({ ...databasePath, access: 'mail', variables });
    await expect(db.signin(mail({ request, code: '00000000' }))).rejects.toThrow(WRONG);
    const tokens = await db.signin(mail({ request, code }));
    expect(claims(tokens.access)).toMatchObject({ amr: ['mail'], acr: 'aal1' });
    expect(await who()).toBeInstanceOf(RecordId);
    await expect(db.signin(mail({ request, code }))).rejects.toThrow(WRONG);
  });

  it('signs in at each level, with tokens that last as long as is defined', async () => {
    const told: (Tokens | null)[] = [];
    db.subscribe('auth', (tokens) => told.push(tokens));
    await db.signin(ROOT);
    await db.use(databasePath);
    await db.query('INFO FOR ROOT');
    await db.signin({ namespace: 'test', username: 'ns_user', password: PASSWORD });
    await db.query('INFO FOR NS');
    const { access, refresh } = await db.signin({ ...databasePath, username: 'db_user', password: PASSWORD });
    expect(refresh).toBeUndefined();
    const { exp, iat, ID } = claims(access);
    expect([Number(exp) - Number(iat), ID]).toEqual([2, 'db_user']);
    await expect(db.query('INFO FOR NS')).rejects.toThrow('Not enough permissions');
    expect(db.accessToken).toBe(access);
    await db.invalidate();
    expect(db.accessToken).toBeUndefined();
    expect(told).toEqual([expect.anything(), expect.anything(), { access }, null]);
  });

  it.each([
    { username: 'root', password: 'wrong' },
    { username: 'nobody', password: PASSWORD },
    { namespace: 'missing', username: 'ns_user', password: PASSWORD },
  ])('refuses %j', async (auth) => {
    const refused = await db.signin(auth).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NotAllowedError);
    expect(refused).toMatchObject({ message: WRONG, isInvalidAuth: true, code: -32002 });
  });

  it('signs record users up and in', async () => {
    const signedUp = await db.signup(account({ name: 'ann', pass: 'x' }));
    expect(signedUp.refresh).toMatch(/^surreal-refresh-/);
    expect(await db.auth()).toMatchObject({ id: new RecordId('user', 'ann'), pass: 'x' });
    await db.invalidate();
    await expect(db.signin(account({ name: 'ann', pass: 'y' }))).rejects.toThrow(WRONG);
    await db.signin(account({ name: 'ann', pass: 'x' }));
    expect(await who()).toEqual(new RecordId('user', 'ann'));
    expect(claims(db.accessToken ?? '')).toMatchObject({ NS: 'test', DB: database, AC: 'account', ID: 'user:ann' });
  });

  it('goes on with the tokens of before, and gets others for them', async () => {
    const first = await db.signup(account({ name: 'ann', pass: 'x' }));
    await db.invalidate();
    await db.use(databasePath);
    expect(await db.authenticate(first.access)).toEqual({ access: first.access });
    expect(await who()).toEqual(new RecordId('user', 'ann'));
    const second = await db.authenticate(first);
    expect(second.access).not.toBe(first.access);
    expect(second.refresh).not.toBe(first.refresh);
    expect(await who()).toEqual(new RecordId('user', 'ann'));
    await expect(db.authenticate({ ...first, refresh: `${second.refresh?.slice(0, -1)}_` })).rejects.toThrow(WRONG);
    await expect(db.authenticate('a.b.c')).rejects.toThrow();
    await expect(db.authenticate('garbage')).rejects.toThrow();
  });

  it('signs in with the key of a bearer', async () => {
    const [{ grant, creation, expiration }] = await root.query<
      [{ grant: { key: string }; creation: { toDate(): Date }; expiration: { toDate(): Date } }]
    >('ACCESS key GRANT FOR USER db_user');
    expect(expiration.toDate().getTime() - creation.toDate().getTime()).toBe(60_000);
    await db.signin({ ...databasePath, access: 'key', key: grant.key });
    expect(await db.query('CREATE made:1')).toHaveLength(1);
    await expect(db.signin({ ...databasePath, access: 'key', key: `${grant.key.slice(0, -1)}_` })).rejects.toThrow();
  });

  it('refuses what no user may do', async () => {
    const refused = await db.query('SELECT * FROM user').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Error);
    await db.use(databasePath);
    const unknown = await db.select(new Table('user')).catch((error: unknown) => error);
    expect(unknown).toBeInstanceOf(NotAllowedError);
  });

  it('signs in as it connects, and again when its token is about to end', async () => {
    let asked = 0;
    const other = await connected(server, scheme, {
      ...databasePath,
      reconnect: false,
      expiryMargin: 1,
      authentication: () => {
        asked++;
        return { ...databasePath, username: 'db_user', password: PASSWORD };
      },
    });
    const first = other.accessToken;
    await expect.poll(() => asked, { timeout: 5_000 }).toBe(2);
    await expect.poll(() => other.accessToken).not.toBe(first);
    expect(await other.query('RETURN 1')).toEqual([1]);
    await other.close();
  });

  it('renews by its refresh token', async () => {
    const other = await connected(server, scheme, { ...databasePath, reconnect: false, expiryMargin: 1 });
    const { access } = await other.signup(account({ name: 'bob', pass: 'x' }));
    await expect.poll(() => other.accessToken, { timeout: 5_000 }).not.toBe(access);
    expect(await other.query('RETURN $auth.id')).toEqual([new RecordId('user', 'bob')]);
    await other.close();
  });

  it('is a guest once its token ends and nothing renews it', async () => {
    const other = await connected(server, scheme, { ...databasePath, reconnect: false, expiryMargin: 1 });
    await other.signin({ ...databasePath, username: 'db_user', password: PASSWORD });
    await expect.poll(() => other.accessToken, { timeout: 5_000 }).toBeUndefined();
    await other.close();
  });

  it('fails to connect as a user who does not exist', async () => {
    const connecting = connected(server, scheme, { authentication: { username: 'root', password: 'wrong' } });
    await expect(connecting).rejects.toThrow(WRONG);
  });
});
