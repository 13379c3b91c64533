/** Links to files: what they give, and when they end. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFileLink } from '../../src/files/links.js';
import type { Session } from '../../src/session/contract.js';
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

  it.each([{ signature: 'x' }, { signature: 'x', until: 'never' }, { signature: 'x', until: '-1' }, { signature: 5 }])(
    'isn’t %j',
    (query) => {
      expect(() => readFileLink(query)).toThrow('This link is over');
    },
  );

  it('isn’t in queries without a signature', () => {
    expect(readFileLink({ until: '5', limit: '1' })).toBeUndefined();
  });
});
