/** Grants: keys of bearers and refresh tokens, from the ACCESS statement to the session that they open. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { IssuedTokens, Session } from '../../src/session/contract.js';
import { toText } from '../../src/value/text/text.js';
import { isArray, isObject, newObject, type ObjectValue, objectFrom, type Value } from '../../src/value/value.js';
import { type Owned, openOwned } from '../support/owned.js';

const INVALID = { code: 'invalid_auth' };

let environment: Owned['environment'];
let database: Owned['database'];
let value: Owned['value'];
beforeEach(async () => {
  ({ environment, database, value } = await openOwned({ guests: true }));
  await value(`
    CREATE user:ada, user:bob;
    DEFINE USER robot ON DATABASE PASSHASH '' ROLES EDITOR;
    DEFINE ACCESS key ON DATABASE TYPE BEARER FOR USER DURATION FOR GRANT 1h;
    DEFINE ACCESS pass ON DATABASE TYPE BEARER FOR RECORD;
    DEFINE ACCESS people ON DATABASE TYPE RECORD
      SIGNIN (SELECT * FROM type::record('user', $name)) WITH REFRESH DURATION FOR GRANT 1d, FOR TOKEN 1m;
    DEFINE ACCESS others ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM type::record('user', $name)) WITH REFRESH;
  `);
});

async function granted(text: string): Promise<string> {
  const grant = (await value(text)) as ObjectValue;
  return (grant['grant'] as ObjectValue)['key'] as string;
}

const target = (access: string, more: Record<string, Value>) =>
  objectFrom({ NS: 'test', DB: 'test', AC: access, ...more });
const open = () => database.session({});
const authenticate = async (token: string) => open().authenticate(token);
const auth = async (session: Session) => {
  const [result] = await session.query('RETURN [$auth, $access, $token.ID]');
  return result?.outcome.ok ? toText(result.outcome.value) : undefined;
};

describe('keys of bearers', () => {
  test('open sessions of a user, with the roles of now', async () => {
    const key = await granted('ACCESS key GRANT FOR USER robot');
    const session = open();
    await session.signIn(target('key', { key }));
    expect(session.identity.principal).toMatchObject({ kind: 'system', name: 'robot', roles: ['editor'] });
    await value("DEFINE USER OVERWRITE robot ON DATABASE PASSHASH '' ROLES VIEWER");
    const { access } = await open().signIn(target('key', { key }));
    const another = open();
    await another.authenticate(access);
    expect(another.identity.principal).toMatchObject({ kind: 'system', name: 'robot', roles: ['viewer'] });
    await value('REMOVE USER robot ON DATABASE');
    await expect(open().signIn(target('key', { key }))).rejects.toMatchObject(INVALID);
    await expect(authenticate(access)).rejects.toMatchObject(INVALID);
  });

  test('open sessions of a record', async () => {
    const session = open();
    const { access } = await session.signIn(
      target('pass', { key: await granted('ACCESS pass GRANT FOR RECORD user:ada') }),
    );
    expect(await auth(session)).toBe("[user:ada, 'pass', user:ada]");
    const another = open();
    await another.authenticate(access);
    expect(await auth(another)).toBe("[user:ada, 'pass', user:ada]");
    await value('DELETE user:ada');
    await expect(authenticate(access)).rejects.toMatchObject(INVALID);
  });

  test.each([
    ['is revoked', 'ACCESS key REVOKE ALL'],
    ['is purged', 'ACCESS key REVOKE ALL; SLEEP 0s; ACCESS key PURGE REVOKED'],
    ['goes with its access', 'REMOVE ACCESS key ON DATABASE; DEFINE ACCESS key ON DATABASE TYPE BEARER FOR USER'],
    ['was for another kind', 'DEFINE ACCESS OVERWRITE key ON DATABASE TYPE BEARER FOR RECORD'],
  ])('a key that %s lets nobody in', async (_, text) => {
    const key = await granted('ACCESS key GRANT FOR USER robot');
    await value(text);
    await expect(open().signIn(target('key', { key }))).rejects.toMatchObject(INVALID);
  });

  test('a key ends with its lifetime', async () => {
    const key = await granted('ACCESS key GRANT FOR USER robot');
    await environment.advance(3_599_000);
    await open().signIn(target('key', { key }));
    await environment.advance(2_000);
    await expect(open().signIn(target('key', { key }))).rejects.toMatchObject(INVALID);
  });

  test('a secret that is wrong, or of another grant, is refused', async () => {
    const [one, two] = [
      await granted('ACCESS key GRANT FOR USER robot'),
      await granted('ACCESS key GRANT FOR USER robot'),
    ];
    const mixed = `${one.slice(0, -24)}${two.slice(-24)}`;
    await expect(open().signIn(target('key', { key: mixed }))).rejects.toMatchObject(INVALID);
    await expect(open().signIn(target('pass', { key: one }))).rejects.toMatchObject(INVALID);
    await expect(open().signIn(target('key', {}))).rejects.toMatchObject({ code: 'bearer_key_missing' });
    await expect(open().signIn(target('key', { key: 'x' }))).rejects.toMatchObject({ code: 'bearer_key_malformed' });
  });

  test.each([
    ['ACCESS key REVOKE GRANT', 'revoked'],
    ['ACCESS key REVOKE ALL; ACCESS key PURGE REVOKED; ACCESS key SHOW GRANT', 'revoked and purged'],
  ])('whoever came in with a key is out when it is %s', async (text, _how) => {
    const enter = async (key: string) => {
      const session = open();
      session.listen(() => undefined);
      const { access } = await session.signIn(target('key', { key }));
      return { session, access };
    };
    const [bad, good] = [
      await granted('ACCESS key GRANT FOR USER robot'),
      await granted('ACCESS pass GRANT FOR RECORD user:ada'),
    ];
    const one = await enter(bad);
    const byToken = open();
    byToken.listen(() => undefined);
    await byToken.authenticate(one.access);
    const other = open();
    other.listen(() => undefined);
    const { access } = await other.signIn(target('pass', { key: good }));
    await value(`${text} ${bad.split('-')[2]}`).catch(() => undefined);
    for (const session of [one.session, byToken]) {
      const ask = async () => session.query('RETURN 1');
      await expect(ask()).rejects.toMatchObject({ code: 'session_expired' });
    }
    await expect(authenticate(one.access)).rejects.toMatchObject(INVALID);
    expect(await auth(other)).toBe("[user:ada, 'pass', user:ada]");
    await authenticate(access);
  });

  test('those who came in with a key are out when its access method becomes another', async () => {
    const session = open();
    session.listen(() => undefined);
    const { access } = await session.signIn(target('key', { key: await granted('ACCESS key GRANT FOR USER robot') }));
    await value('DEFINE ACCESS OVERWRITE key ON DATABASE TYPE BEARER FOR USER');
    await expect((async () => session.query('RETURN 1'))()).rejects.toMatchObject({ code: 'session_expired' });
    await expect(authenticate(access)).rejects.toMatchObject(INVALID);
  });

  test.each([
    ['key', 'USER robot'],
    ['pass', 'RECORD user:ada'],
  ])('AUTHENTICATE of %s lets in by returning nothing', async (access, subject) => {
    const type = `TYPE BEARER FOR ${subject.split(' ')[0]}`;
    await value(`DEFINE ACCESS OVERWRITE ${access} ON DATABASE ${type} AUTHENTICATE { RETURN user:ada }`);
    const key = await granted(`ACCESS ${access} GRANT FOR ${subject}`);
    await expect(open().signIn(target(access, { key }))).rejects.toMatchObject(INVALID);
    await value(`DEFINE ACCESS OVERWRITE ${access} ON DATABASE ${type} AUTHENTICATE { RETURN NONE }`);
    const other = await granted(`ACCESS ${access} GRANT FOR ${subject}`);
    const tokens = await open().signIn(target(access, { key: other }));
    await authenticate(tokens.access);
  });

  test('no key is ever shown again', async () => {
    const key = await granted('ACCESS key GRANT FOR USER robot');
    const secret = key.slice(-24);
    expect(toText(await value('ACCESS key SHOW ALL'))).not.toContain(secret);
    expect(toText(await value('ACCESS key REVOKE ALL'))).not.toContain(secret);
  });
});

describe('refresh tokens', () => {
  const signIn = (name: string, access = 'people') =>
    open().signIn(target(access, { name })) as Promise<Required<IssuedTokens>>;
  const shown = async () => {
    const found = await value('ACCESS people SHOW WHERE revocation = NONE');
    return isArray(found) ? found.filter(isObject).length : -1;
  };

  test('are used once, each for a new pair', async () => {
    const first = await signIn('ada');
    const session = open();
    const second = (await session.refresh(first)) as Required<IssuedTokens>;
    expect(await auth(session)).toBe("[user:ada, 'people', user:ada]");
    expect(second.refresh).not.toBe(first.refresh);
    expect(second.access).not.toBe(first.access);
    expect(await shown()).toBe(1);
    const third = await open().signIn(target('people', { refresh: second.refresh }));
    expect(Object.keys(third)).toEqual(['access', 'refresh']);
  });

  test('work when the access token has expired, and end with the grant', async () => {
    const pair = await signIn('ada');
    await environment.advance(3_600_000);
    await expect(authenticate(pair.access)).rejects.toMatchObject({ code: 'token_expired' });
    const next = (await open().refresh(pair)) as Required<IssuedTokens>;
    await environment.advance(25 * 3_600_000);
    await expect(open().refresh(next)).rejects.toMatchObject(INVALID);
  });

  test('one that comes again within ten seconds gives the same pair: of two tabs, at once or one after the other', async () => {
    const first = await signIn('ada');
    const both = await Promise.all([open().refresh(first), open().refresh(first)]);
    expect(both[1]).toEqual(both[0]);
    const second = both[0] as Required<IssuedTokens>;
    await environment.advance(5_000);
    const session = open();
    expect(await session.refresh(first)).toEqual(second);
    expect(await auth(session)).toBe("[user:ada, 'people', user:ada]");
    expect(await open().signIn(target('people', { refresh: first.refresh }))).toEqual(second);
    expect(await shown()).toBe(1);
    // The other tab has gone on meanwhile: this one gets what is valid now.
    const third = (await open().refresh(second)) as Required<IssuedTokens>;
    expect(third.refresh).not.toBe(second.refresh);
    expect(await open().refresh(first)).toEqual(third);
    await environment.advance(5_000);
    expect(await open().refresh(first)).toEqual(third);
  });

  test('one that comes again later revokes the family, with its access tokens and sessions', async () => {
    const first = await signIn('ada');
    const other = await signIn('ada');
    const session = open();
    session.listen(() => undefined);
    const second = (await session.refresh(first)) as Required<IssuedTokens>;
    await environment.advance(11_000);
    const third = (await open().refresh(second)) as Required<IssuedTokens>;
    await expect(open().refresh(first)).rejects.toMatchObject(INVALID);
    await expect(open().refresh(third)).rejects.toMatchObject(INVALID);
    for (const { access } of [first, second, third]) await expect(authenticate(access)).rejects.toMatchObject(INVALID);
    await expect((async () => session.query('RETURN 1'))()).rejects.toMatchObject({ code: 'session_expired' });
    expect(await shown()).toBe(1);
    await authenticate(other.access);
    await open().refresh(other);
  });

  test('of a pair whose token was revoked meanwhile, none comes again', async () => {
    const first = await signIn('ada');
    const session = open();
    await session.refresh(first);
    await session.signOut();
    await expect(open().refresh(first)).rejects.toMatchObject(INVALID);
  });

  test('what is stored of them holds no token', async () => {
    const first = await signIn('ada');
    const second = (await open().refresh(first)) as Required<IssuedTokens>;
    const [shownAll] = (await database.ownerSession().query('USE NS test DB test; ACCESS people SHOW ALL')).slice(1);
    const text = shownAll?.outcome.ok ? toText(shownAll.outcome.value) : '';
    expect(text).toContain('user:ada');
    for (const { refresh } of [first, second]) expect(text).not.toContain(refresh.slice(-24));
  });

  test('belong to their access method and to their subject', async () => {
    const [ada, bob, other] = [await signIn('ada'), await signIn('bob'), await signIn('ada', 'others')];
    await expect(open().refresh({ access: bob.access, refresh: ada.refresh })).rejects.toMatchObject(INVALID);
    await expect(open().refresh({ access: other.access, refresh: ada.refresh })).rejects.toMatchObject(INVALID);
    await expect(open().signIn(target('others', { refresh: ada.refresh }))).rejects.toMatchObject(INVALID);
    await expect(open().signIn(target('pass', { key: ada.refresh }))).rejects.toMatchObject({
      code: 'bearer_key_malformed',
    });
    await expect(authenticate(ada.refresh)).rejects.toMatchObject(INVALID);
    expect(Object.keys(await open().refresh(ada))).toEqual(['access', 'refresh']);
  });

  test('are revoked by their bearer, with those they were exchanged for, and by the owner', async () => {
    const first = await signIn('ada');
    const second = (await open().refresh(first)) as Required<IssuedTokens>;
    await expect(open().revoke({ ...second, access: (await signIn('bob')).access })).rejects.toMatchObject(INVALID);
    await open().revoke(second);
    await expect(open().refresh(second)).rejects.toMatchObject(INVALID);
    // Not even as one that lost a race.
    await expect(open().refresh(first)).rejects.toMatchObject(INVALID);
    for (const { access } of [first, second]) await expect(authenticate(access)).rejects.toMatchObject(INVALID);
    const third = await signIn('ada');
    await value('ACCESS people REVOKE WHERE subject.record = user:ada');
    await expect(open().refresh(third)).rejects.toMatchObject(INVALID);
    await expect(authenticate(third.access)).rejects.toMatchObject(INVALID);
  });

  test('are revoked by one that was exchanged, too', async () => {
    const first = await signIn('ada');
    const second = (await open().refresh(first)) as Required<IssuedTokens>;
    await open().revoke({ access: second.access, refresh: first.refresh });
    for (const pair of [first, second]) await expect(open().refresh(pair)).rejects.toMatchObject(INVALID);
  });

  test('are revoked by no token of a system user, nor one whose access method is gone', async () => {
    const pair = await signIn('ada');
    const { access } = await open().signIn(target('key', { key: await granted('ACCESS key GRANT FOR USER robot') }));
    await expect(open().revoke({ ...pair, access })).rejects.toMatchObject(INVALID);
    await value("DEFINE USER root ON ROOT PASSWORD 'a long password'");
    const root = await open().signIn(objectFrom({ user: 'root', pass: 'a long password' }));
    await expect(open().revoke({ ...pair, access: root.access })).rejects.toMatchObject(INVALID);
    await value('REMOVE ACCESS people ON DATABASE');
    await expect(open().revoke(pair)).rejects.toMatchObject(INVALID);
  });

  test('that were exchanged sixteen times since give nothing, even within ten seconds', async () => {
    const all = [await signIn('ada')];
    for (let at = 0; at < 17; at++) all.push((await open().refresh(all.at(-1)!)) as Required<IssuedTokens>);
    const [first, second] = all as [Required<IssuedTokens>, Required<IssuedTokens>];
    await expect(open().refresh(first)).rejects.toMatchObject(INVALID);
    expect((await open().refresh(second)).refresh).toBe(all.at(-1)?.refresh);
  });

  test('are not issued, shown or revoked without WITH REFRESH', async () => {
    await value('DEFINE ACCESS plain ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user:ada)');
    expect(Object.keys(await open().signIn(target('plain', {})))).toEqual(['access']);
    await expect(value('ACCESS plain GRANT FOR RECORD user:ada')).rejects.toMatchObject({ httpStatus: 400 });
    expect(await value('ACCESS plain SHOW ALL')).toEqual([]);
  });

  test('a forged access token refreshes nothing', async () => {
    const pair = await signIn('ada');
    const [header, payload] = pair.access.split('.');
    await expect(open().refresh({ ...pair, access: `${header}.${payload}.AAAA` })).rejects.toMatchObject(INVALID);
    await expect(open().refresh({ ...pair, access: '' })).rejects.toMatchObject(INVALID);
  });

  test('a deleted user refreshes nothing', async () => {
    const pair = await signIn('ada');
    await value('DELETE user:ada');
    await expect(open().refresh(pair)).rejects.toMatchObject(INVALID);
  });
});

test('who may see the level sees its grants, and only its owners see to them', async () => {
  await value(
    "DEFINE USER vi ON DATABASE PASSHASH '' ROLES VIEWER; DEFINE USER ed ON DATABASE PASSHASH '' ROLES EDITOR",
  );
  for (const name of ['vi', 'ed']) {
    const session = open();
    await session.signIn(target('key', { key: await granted(`ACCESS key GRANT FOR USER ${name}`) }));
    const [shown] = await session.query('ACCESS key SHOW ALL', newObject());
    expect(shown?.outcome).toMatchObject({ ok: true });
    for (const text of ['ACCESS key REVOKE ALL', `ACCESS key GRANT FOR USER ${name}`, 'ACCESS key PURGE EXPIRED']) {
      const [result] = await session.query(text, newObject());
      expect(result?.outcome).toMatchObject({ ok: false, error: { code: 'not_allowed' } });
    }
  }
});
