/** Links to files: what they give, and when they end. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFileLink } from '../../src/files/links.js';
import type { Session } from '../../src/session/contract.js';
import { toText } from '../../src/value/text/text.js';
import { FileReference, objectFrom } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { run, World } from '../support/world.js';

const FILE = new FileReference('b', '/a/ö b.txt');

let environment: StubbedEnvironment;
let world: World;
let guest: Session;
beforeEach(async () => {
  environment = new StubbedEnvironment();
  world = await World.open({ environment, guests: false, authentication: { publicUrls: ['https://db.example.com'] } });
  await run(
    world.owner,
    `DEFINE BUCKET b PERMISSIONS WHERE owner = $auth.id; DEFINE BUCKET other; type::file('b', '/a/ö b.txt').put('text');
     f"b:/c".put('c'); f"other:/c".put('c')`,
  );
  guest = world.guest();
  await guest.use('test', 'test');
});
afterEach(() => world.database.close());

async function urlBy(session: Session, file = FILE, options = '{}'): Promise<string> {
  const [result] = await session.query(`file::url($file, ${options})`, objectFrom({ file }));
  if (result?.outcome.ok !== true) throw result?.outcome.error;
  return String(result.outcome.value);
}

/** What an address gives to a guest, whose server lets guests do nothing. */
function get(address: string, file = FILE): Promise<string | undefined> {
  const link = readFileLink(Object.fromEntries(new URL(address).searchParams));
  return read(file, link);
}

async function read(file: FileReference, link: ReturnType<typeof readFileLink>): Promise<string | undefined> {
  const found = await guest.openFile(file, link);
  if (found === undefined) return undefined;
  let text = '';
  for await (const piece of found.read(0, found.size)) text += Buffer.from(piece).toString();
  return text;
}

describe('a link', () => {
  it('gives its file to everyone, at the address of the server', async () => {
    const address = await urlBy(world.owner);
    expect(address).toMatch(
      /^https:\/\/db\.example\.com\/files\/test\/test\/b\/a\/%C3%B6%20b\.txt\?until=\d+&signature=[\w-]{43}$/,
    );
    expect(await get(address)).toBe('text');
    await expect(guest.openFile(FILE)).rejects.toMatchObject({ code: 'not_allowed' });
  });

  it('gives the file as it is by then, or none', async () => {
    const address = await urlBy(world.owner);
    await run(world.owner, `type::file('b', '/a/ö b.txt').put('later')`);
    expect(await get(address)).toBe('later');
    await run(world.owner, `type::file('b', '/a/ö b.txt').delete()`);
    expect(await get(address)).toBeUndefined();
  });

  it('is made by those who may get the file', async () => {
    const [ann, bob] = [await world.person('ann'), await world.person('bob')];
    await run(ann, `f"b:/ann".put('ann')`);
    const own = new FileReference('b', '/ann');
    expect(await get(await urlBy(ann, own), own)).toBe('ann');
    await expect(urlBy(bob, own)).rejects.toMatchObject({ code: 'file_denied' });
    await expect(urlBy(bob, new FileReference('b', '/none'))).rejects.toMatchObject({ code: 'file_denied' });
  });

  it('ends with its time', async () => {
    const [hour, minute] = [await urlBy(world.owner), await urlBy(world.owner, FILE, '{ for: 1m }')];
    environment.advance(59_000);
    expect(await get(minute)).toBe('text');
    environment.advance(1_000);
    await expect(get(minute)).rejects.toMatchObject({ code: 'file_link' });
    environment.advance(3_539_000);
    expect(await get(hour)).toBe('text');
    environment.advance(1_000);
    await expect(get(hour)).rejects.toMatchObject({ code: 'file_link' });
    for (const time of ['0s', '500ms', '8d']) {
      await expect(urlBy(world.owner, FILE, `{ for: ${time} }`)).rejects.toMatchObject({ code: 'file_link_time' });
    }
    await expect(urlBy(world.owner, FILE, '{ for: 5 }')).rejects.toMatchObject({ code: 'file_operand' });
  });

  it('ends with the record whose it is', async () => {
    const ann = await world.person('ann');
    await run(ann, `f"b:/ann".put('ann')`);
    const own = new FileReference('b', '/ann');
    const address = await urlBy(ann, own);
    await run(world.owner, 'DELETE user:ann');
    await expect(get(address, own)).rejects.toMatchObject({ code: 'file_link' });
  });

  it('ends with the key of its bucket', async () => {
    const address = await urlBy(world.owner);
    await run(world.owner, 'ALTER BUCKET b COMMENT "still"');
    expect(await get(address)).toBe('text');
    await run(world.owner, 'ALTER BUCKET b ROTATE KEY');
    await expect(get(address)).rejects.toMatchObject({ code: 'file_link' });
    expect(await get(await urlBy(world.owner))).toBe('text');
    await run(world.owner, `REMOVE BUCKET b; DEFINE BUCKET b; type::file('b', '/a/ö b.txt').put('another')`);
    await expect(get(address)).rejects.toMatchObject({ code: 'file_link' });
  });

  it('is of no other file, time or record', async () => {
    const link = readFileLink(Object.fromEntries(new URL(await urlBy(world.owner)).searchParams));
    if (link === undefined) throw new Error('it has a link');
    const refused = [
      [new FileReference('b', '/c'), link],
      [new FileReference('other', '/c'), link],
      [new FileReference('nope', '/c'), link],
      [FILE, { ...link, until: link.until + 1 }],
      [FILE, { ...link, by: 'user:ann' }],
      [FILE, { ...link, signature: `${link.signature.slice(0, -1)}A` }],
      [FILE, { ...link, signature: '' }],
    ] as const;
    for (const [file, wrong] of refused) await expect(read(file, wrong)).rejects.toMatchObject({ code: 'file_link' });
  });

  it.each([
    { signature: 'x' },
    { signature: 'x', until: 'never' },
    { signature: 'x', until: '-1' },
    { signature: 5 },
    { signature: 'x', until: '1', method: 'DELETE' },
    { signature: 'x', until: '1', method: 'PUT', size: '1e3' },
    { signature: 'x', until: '1', method: 'PUT', size: '99999999999999999' },
    { signature: 'x', until: '1', method: 'PUT', type: 5 },
  ])('isn’t %j', (query) => {
    expect(() => readFileLink(query)).toThrow('This link is over');
  });

  it('isn’t in queries without a signature', () => {
    expect(readFileLink({ until: '5', limit: '1' })).toBeUndefined();
  });
});

describe('a link that ends with a session', () => {
  const own = new FileReference('b', '/ann');
  const over = { code: 'file_link' };
  const OPTIONS = '{ session: true, for: 1d }';

  interface SignedIn {
    readonly session: Session;
    readonly access: string;
    readonly refresh: string;
    readonly address: string;
  }

  /** Signs in a record again, and makes a link. */
  async function signIn(client = world.guest(), options = OPTIONS): Promise<SignedIn> {
    const body = objectFrom({ NS: 'test', DB: 'test', AC: 'lasting', name: 'ann' });
    const { access, refresh = '' } = await client.signIn(body);
    return { session: client, access, refresh, address: await urlBy(client, own, options) };
  }

  beforeEach(async () => {
    await run(await world.person('ann'), `f"b:/ann".put('ann')`);
    await run(
      world.owner,
      `DEFINE FIELD pass ON user TYPE option<string> CREDENTIAL;
       DEFINE ACCESS lasting ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE name = $name) WITH REFRESH`,
    );
  });

  it('is good for others, and after a refresh, until then', async () => {
    const { session, access, refresh, address } = await signIn();
    expect(await get(address, own)).toBe('ann');
    await session.refresh({ access, refresh });
    environment.advance(23 * 3_600_000);
    expect(await get(address, own)).toBe('ann');
    environment.advance(3_600_000);
    await expect(get(address, own)).rejects.toMatchObject(over);
  });

  it.each<[string, (signedIn: SignedIn) => Promise<unknown>]>([
    ['KILL SESSION', ({ session }) => run(session, 'KILL SESSION (INFO FOR SESSIONS)[WHERE current][0].id')],
    ['KILL SESSIONS', ({ session }) => run(session, 'KILL SESSIONS')],
    ['KILL SESSIONS of an owner', () => run(world.owner, 'KILL SESSIONS FOR RECORD user:ann')],
    ['signing out', ({ session }) => session.signOut()],
    ['revoking the refresh token', ({ session, access, refresh }) => session.revoke({ access, refresh })],
    ['another password', () => run(world.owner, `UPDATE user:ann SET pass = 'another'`)],
    ['another key', () => run(world.owner, 'ACCESS lasting ON DATABASE ROTATE KEEP 0s')],
    ['no access method', () => run(world.owner, 'REMOVE ACCESS lasting ON DATABASE')],
    ['no record', () => run(world.owner, 'DELETE user:ann')],
  ])('ends by %s', async (_, end) => {
    const client = world.guest();
    client.listen(() => undefined);
    const signedIn = await signIn(client);
    expect(await get(signedIn.address, own)).toBe('ann');
    environment.advance(1_000);
    await end(signedIn);
    await expect(get(signedIn.address, own)).rejects.toMatchObject(over);
  });

  it('ends with what was signed in by a refresh token of the same sign-in', async () => {
    const lasting = world.guest();
    lasting.listen(() => undefined);
    const { session, access, refresh, address } = await signIn(lasting);
    const other = await signIn();
    const client = world.guest();
    await client.refresh({ access, refresh });
    await client.signOut();
    await expect(get(address, own)).rejects.toMatchObject(over);
    await expect(world.guest().authenticate(access)).rejects.toMatchObject({ code: 'invalid_auth' });
    await expect(run(session, 'RETURN 1')).rejects.toMatchObject({ code: 'session_expired' });
    expect(await get(other.address, own)).toBe('ann');
  });

  it('outlives other sessions of its user', async () => {
    const { session, address } = await signIn();
    const other = await signIn();
    environment.advance(1_000);
    await run(session, 'KILL OTHER SESSIONS');
    expect(await get(address, own)).toBe('ann');
    await expect(get(other.address, own)).rejects.toMatchObject(over);
  });

  it('ends when its session expires', async () => {
    await run(world.owner, 'ALTER ACCESS lasting ON DATABASE DURATION FOR SESSION 10m');
    const { address } = await signIn();
    environment.advance(599_000);
    expect(await get(address, own)).toBe('ann');
    environment.advance(1_000);
    await expect(get(address, own)).rejects.toMatchObject(over);
  });

  it('puts a file as long', async () => {
    const { session, address } = await signIn(world.guest(), '{ method: "PUT", session: true }');
    const link = readFileLink(Object.fromEntries(new URL(address).searchParams));
    if (link === undefined) throw new Error('it has a link');
    await guest.enterByLink(own, link);
    await session.signOut();
    await expect(guest.enterByLink(own, link)).rejects.toMatchObject(over);
  });

  it('is of no other session or access method', async () => {
    const [one, two] = [await signIn(), await signIn()].map(({ address }) =>
      readFileLink(Object.fromEntries(new URL(address).searchParams)),
    );
    if (one === undefined || two === undefined) throw new Error('they have links');
    const wrong = [
      { session: two.session },
      { session: undefined },
      { session: '' },
      { access: 'people' },
      { access: undefined },
    ];
    for (const given of wrong)
      await expect(read(own, { ...one, ...given }), JSON.stringify(given)).rejects.toMatchObject(over);
  });

  it('is made by record users who have signed in', async () => {
    await run(world.owner, 'ALTER BUCKET b PERMISSIONS FULL');
    await world.database.close();
    world = await World.open({ environment });
    await run(world.owner, `DEFINE BUCKET b PERMISSIONS FULL; f"b:/ann".put('ann')`);
    await world.person('ann');
    const refused = { code: 'file_link_session' };
    const visitor = world.guest();
    await visitor.use('test', 'test');
    for (const session of [world.owner, visitor])
      await expect(urlBy(session, own, OPTIONS)).rejects.toMatchObject(refused);
    await world.owner.viewAs(objectFrom({ record: 'user:ann', access: 'people' }));
    await expect(urlBy(world.owner, own, OPTIONS)).rejects.toMatchObject(refused);
    await world.owner.viewAs(undefined);
    await expect(urlBy(world.owner, own, '{ session: 1 }')).rejects.toMatchObject({ code: 'file_operand' });
  });
});

describe('a link to put', () => {
  const link = (address: string) => {
    const found = readFileLink(Object.fromEntries(new URL(address).searchParams));
    if (found === undefined) throw new Error('it has a link');
    return found;
  };

  /** Puts as the route does. `meanwhile` runs when the bytes have come. */
  async function put(address: string, text: string, file = FILE, meanwhile?: () => Promise<unknown>): Promise<void> {
    const client = world.guest();
    await client.use('test', 'test');
    await client.enterByLink(file, link(address));
    const upload = await client.uploadFile(file, undefined, link(address));
    const name = await upload.store(
      (async function* () {
        yield Buffer.from(text);
      })(),
    );
    await meanwhile?.();
    await client.enterByLink(file, link(address));
    const put = 'file::put($file, NONE, { upload: $name, type: $type })';
    const [result] = await client.query(put, objectFrom({ file, name, type: upload.type }));
    if (result?.outcome.ok !== true) throw result?.outcome.error;
  }

  const headOf = async (file: FileReference) => {
    const [result] = await world.owner.query('file::head($file).{ size, owner, type }', objectFrom({ file }));
    return result?.outcome.ok === true ? toText(result.outcome.value) : undefined;
  };

  it('puts the file as who has made it, again and again', async () => {
    const ann = await world.person('ann');
    const own = new FileReference('b', '/ann');
    const address = await urlBy(ann, own, '{ method: "PUT", size: 5, type: "text/*" }');
    expect(address).toMatch(
      /\/b\/ann\?method=PUT&until=\d+&by=user%3Aann&access=people&type=text%2F\*&size=5&signature=[\w-]{43}$/,
    );
    await expect(put(address, 'one', own)).rejects.toMatchObject({ code: 'file_type' });
    const typed = await urlBy(ann, own, '{ method: "PUT", size: 5, type: "text/plain" }');
    await put(typed, 'one', own);
    await put(typed, 'three', own);
    expect(await headOf(own)).toBe("{ owner: user:ann, size: 5, type: 'text/plain' }");
    await expect(put(typed, 'longer', own)).rejects.toMatchObject({ code: 'file_too_large' });
  });

  it('of a system user is judged by no rule', async () => {
    await put(await urlBy(world.owner, FILE, '{ method: "PUT" }'), 'by owner');
    expect(await headOf(FILE)).toBe("{ owner: NONE, size: 8, type: 'text/plain' }");
  });

  it('is made by those who may put the file, and has their rights of now', async () => {
    const [ann, bob] = [await world.person('ann'), await world.person('bob')];
    const own = new FileReference('b', '/ann');
    await run(ann, `f"b:/ann".put('ann')`);
    await expect(urlBy(bob, own, '{ method: "PUT" }')).rejects.toMatchObject({ code: 'file_denied' });
    const address = await urlBy(ann, own, '{ method: "PUT" }');
    await run(world.owner, 'ALTER BUCKET b PERMISSIONS WHERE owner = $auth.id AND size < 4');
    await put(address, 'ann', own);
    await expect(put(address, 'longer', own)).rejects.toMatchObject({ code: 'file_denied' });
    await run(world.owner, 'ALTER BUCKET b PERMISSIONS NONE');
    await expect(put(address, 'x', own)).rejects.toMatchObject({ code: 'file_denied' });
    await run(world.owner, 'ALTER BUCKET b READONLY PERMISSIONS FULL');
    await expect(put(address, 'x', own)).rejects.toMatchObject({ code: 'bucket_read_only' });
    await expect(urlBy(world.owner, own, '{ method: "PUT" }')).rejects.toMatchObject({ code: 'bucket_read_only' });
  });

  it('of viewers and guests is judged as of one who hasn’t signed in', async () => {
    await world.database.close();
    world = await World.open({ environment, authentication: { publicUrls: ['https://db.example.com'] } });
    await run(world.owner, `DEFINE BUCKET b PERMISSIONS FOR put WHERE size < 4 AND $auth = NONE`);
    const open = new FileReference('b', '/open');
    const visitor = world.guest();
    await visitor.use('test', 'test');
    for (const maker of [visitor, await world.systemUser('DV')]) {
      const address = await urlBy(maker, open, '{ method: "PUT" }');
      expect(address).toContain('&by=guest&');
      await put(address, 'abc', open);
      await expect(put(address, 'abcd', open)).rejects.toMatchObject({ code: 'file_denied' });
    }
    expect(await urlBy(await world.systemUser('DE'), open, '{ method: "PUT" }')).not.toContain('&by=');
  });

  it('ends with its time, its record, its access method and the key of its bucket, also while bytes come', async () => {
    const ends = { code: 'file_link' };
    const own = new FileReference('b', '/ann');
    const ann = await world.person('ann');
    const address = await urlBy(ann, own, '{ method: "PUT", for: 1m }');
    const rotate = () => run(world.owner, 'ALTER BUCKET b ROTATE KEY');
    await expect(put(address, 'x', own, rotate)).rejects.toMatchObject(ends);
    await expect(put(address, 'x', own)).rejects.toMatchObject(ends);
    const later = await urlBy(ann, own, '{ method: "PUT", for: 1m }');
    await expect(put(later, 'x', own, async () => environment.advance(60_000))).rejects.toMatchObject(ends);
    await expect(put(later, 'x', own)).rejects.toMatchObject(ends);
    const last = await urlBy(ann, own, '{ method: "PUT" }');
    await put(last, 'x', own);
    await expect(put(last, 'y', own, () => run(world.owner, 'DELETE user:ann'))).rejects.toMatchObject(ends);
    // Another record of that id is someone else.
    const other = await world.person('ann');
    await expect(put(last, 'y', own)).rejects.toMatchObject(ends);
    const others = await urlBy(other, new FileReference('b', '/other'), '{ method: "PUT" }');
    await run(world.owner, 'REMOVE ACCESS people ON DATABASE');
    await expect(put(others, 'y', new FileReference('b', '/other'))).rejects.toMatchObject(ends);
    expect(await headOf(own)).toBe("{ owner: user:ann, size: 1, type: 'application/octet-stream' }");
  });

  it('is of no other file, method, type, size or record', async () => {
    const ann = await world.person('ann');
    const own = new FileReference('b', '/ann');
    const good = link(await urlBy(ann, own, '{ method: "PUT", type: "text/plain", size: 3 }'));
    const got = link(await urlBy(world.owner));
    const wrong = [
      [own, { ...good, type: undefined }],
      [own, { ...good, type: '*/*' }],
      [own, { ...good, size: 4 }],
      [own, { ...good, size: undefined }],
      [own, { ...good, until: good.until + 1 }],
      [own, { ...good, by: 'user:bob' }],
      [own, { ...good, by: undefined }],
      [own, { ...good, by: 'guest' }],
      [own, { ...good, access: 'other' }],
      [own, { ...good, method: 'GET' }],
      [new FileReference('b', '/bob'), good],
      [new FileReference('other', '/ann'), good],
      [FILE, got],
      [FILE, { ...got, method: 'PUT' }],
    ] as const;
    for (const [file, given] of wrong)
      await expect(guest.enterByLink(file, given), JSON.stringify(given)).rejects.toMatchObject({ code: 'file_link' });
    await expect(read(own, good)).rejects.toMatchObject({ code: 'file_link' });
    await expect(read(own, { ...good, method: 'GET' })).rejects.toMatchObject({ code: 'file_link' });
  });

  it('isn’t made in a view, nor of arguments that mean nothing', async () => {
    await world.person('ann');
    const options = '{ method: "PUT" }';
    await world.owner.viewAs(objectFrom({ record: 'user:ann', access: 'people' }));
    await expect(urlBy(world.owner, FILE, options)).rejects.toMatchObject({ code: 'view_read_only' });
    await world.owner.viewAs(undefined);
    for (const [given, code] of [
      ['{ method: "DELETE" }', 'invalid_arguments'],
      ['{ method: 5 }', 'invalid_arguments'],
      ['{ size: 5 }', 'invalid_arguments'],
      ['{ method: "PUT", size: -1 }', 'file_operand'],
      ['{ method: "PUT", size: "5" }', 'file_operand'],
      ['{ method: "PUT", type: "image" }', 'file_type_malformed'],
      ['{ method: "PUT", type: "image/png; q=1" }', 'file_type_malformed'],
    ] as const)
      await expect(urlBy(world.owner, FILE, given), given).rejects.toMatchObject({ code });
  });
});
