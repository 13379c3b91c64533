/** What live queries tell, to whom, and until when. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { toText } from '../../src/value/text/text.js';
import { objectFrom, Uuid } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { answer, run, World } from '../support/world.js';
import { attack } from './attack.js';

let world: World;
let environment: StubbedEnvironment;

beforeEach(async () => {
  environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
  world = await World.open({ environment });
  await run(
    world.owner,
    `DEFINE TABLE note PERMISSIONS FOR select WHERE owner = $auth, FOR create, update, delete FULL;
     DEFINE FIELD owner ON note;
     DEFINE FIELD text ON note;
     DEFINE FIELD secret ON note PERMISSIONS FOR select NONE;
     DEFINE TABLE hidden PERMISSIONS NONE;
     CREATE hidden:1 SET text = 'hidden'`,
  );
});
afterEach(() => world.close());

/** Collects the notifications of a session. */
function ear(session: Session): { news(): Promise<string[]> } {
  let heard: string[] = [];
  session.listen(({ action, record, result }) => {
    heard.push(`${action} ${toText(record)} ${toText(result)}`);
  });
  return {
    async news() {
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
      const news = heard;
      heard = [];
      return news;
    },
  };
}

async function live(session: Session, text: string): Promise<string> {
  const id = (await run(session, text)).at(-1);
  if (!(id instanceof Uuid)) throw new Error(`no live query: ${text}`);
  return id.text;
}

attack(29, 'events that show hidden rows', async () => {
  const ann = await world.person('ann');
  const { news } = ear(ann);
  await live(ann, 'LIVE SELECT * FROM note');
  await live(ann, 'LIVE SELECT DIFF FROM note');
  await live(ann, 'LIVE SELECT VALUE [$before, $after, $value, $event, $this] FROM note');
  await live(ann, 'LIVE SELECT VALUE id FROM hidden');
  await run(world.owner, "CREATE note:1 SET owner = user:bob, text = 'of bob', secret = 's'");
  await run(world.owner, "UPDATE note:1 SET text = 'still of bob'; UPSERT note:1 SET secret = 't'; DELETE note:1");
  await run(world.owner, "UPDATE hidden:1 SET text = 'x'; CREATE hidden:2; DELETE hidden:1");
  expect(await news()).toEqual([]);
});

describe('what is sent of a row that comes into sight and leaves it', () => {
  const hides = (texts: readonly string[]) => expect(texts.join('\n')).not.toMatch(/bob|hidden|s3cret/);

  it('is nothing of how it was out of sight', async () => {
    const ann = await world.person('ann');
    const { news } = ear(ann);
    await live(ann, 'LIVE SELECT * FROM note');
    await live(ann, 'LIVE SELECT DIFF FROM note');
    await live(ann, 'LIVE SELECT VALUE [$before, $after, $value, $this.secret] FROM note');
    await live(ann, "LIVE SELECT VALUE id FROM note WHERE $before.text = 'of bob' OR $before.secret OR secret");
    await run(world.owner, "CREATE note:1 SET owner = user:bob, text = 'of bob', secret = 's3cret'");
    await run(world.owner, "UPDATE note:1 SET owner = user:ann, text = 'of ann'");
    const seen = await news();
    expect(seen).toEqual([
      "UPDATE note:1 { id: note:1, owner: user:ann, text: 'of ann' }",
      "UPDATE note:1 [{ op: 'replace', path: '', value: { id: note:1, owner: user:ann, text: 'of ann' } }]",
      "UPDATE note:1 [NONE, { id: note:1, owner: user:ann, text: 'of ann' }, { id: note:1, owner: user:ann, text: 'of ann' }, NONE]",
    ]);
    await run(world.owner, "UPDATE note:1 SET owner = user:bob, text = 'of bob again'; DELETE note:1");
    expect(await news()).toEqual([]);
  });

  it('is nothing of hidden fields, not even that they change', async () => {
    const ann = await world.person('ann');
    const { news } = ear(ann);
    await run(world.owner, "CREATE note:1 SET owner = user:ann, secret = 's3cret', link = hidden:1");
    await live(ann, 'LIVE SELECT *, secret AS s, link.text AS t FROM note FETCH link');
    await live(ann, 'LIVE SELECT DIFF FROM note');
    await live(ann, 'LIVE SELECT VALUE (SELECT * FROM hidden) FROM note');
    await run(world.owner, "UPDATE note:1 SET secret = 's3cret 2'; UPDATE note:1 SET secret = NONE");
    expect(await news()).toEqual([]);
    await run(world.owner, "UPDATE note:1 SET text = 'x', secret = 's3cret'; DELETE note:1");
    const seen = await news();
    expect(seen).toHaveLength(6);
    hides(seen.map((text) => text.replaceAll('hidden:1', '')));
  });

  it('is the same whatever is hidden', async () => {
    const told: string[][] = [];
    for (const secret of ["'a'", '[1, 2, 3]', 'NONE']) {
      const ann = await world.person(`ann${told.length}`);
      const { news } = ear(ann);
      await live(ann, 'LIVE SELECT text, secret FROM note WHERE secret = "a" OR text');
      await run(
        world.owner,
        `CREATE note:1 SET owner = ${toText(ann.identity.auth)}, text = 'x', secret = ${secret};
         CREATE note:2 SET owner = user:bob, secret = ${secret}; UPDATE note SET secret = 1; DELETE note`,
      );
      told.push(await news());
      ann.close();
    }
    expect(told[1]).toEqual(told[0]);
    expect(told[2]).toEqual(told[0]);
  });
});

attack(30, 'subscribers that bind $value, $before, $after and $event', async () => {
  const ann = await world.person('ann');
  const { news } = ear(ann);
  await live(
    ann,
    `LET $value = { owner: user:ann }; LET $before = $value; LET $after = $value; LET $event = 'MINE'; LET $mine = 7;
     LIVE SELECT VALUE [$event, $before, $after.text, $value.text, $mine, $auth] FROM note`,
  );
  await run(world.owner, "CREATE note:1 SET owner = user:bob, text = 'of bob'");
  await run(world.owner, "CREATE note:2 SET owner = user:ann, text = 'of ann'");
  expect(await news()).toEqual(["CREATE note:2 ['CREATE', NONE, 'of ann', 'of ann', 7, user:ann]"]);
  for (const name of ['auth', 'session', 'token', 'access']) {
    expect(await answer(ann, `LET $${name} = user:bob`)).toContain(name);
  }
});

const TRANSITIONS: Record<string, (session: Session) => unknown> = {
  'signing out': (session) => session.invalidate(),
  'a reset': (session) => session.reset(),
  'signing in as somebody else': (session) => session.signUp(PERSON('bob')),
  'signing in as a system user': (session) =>
    session.signIn(objectFrom({ NS: 'test', DB: 'test', user: 'sys', pass: 'a long password' })),
  expiry: () => environment.advance(3_600_000),
};
const PERSON = (name: string) => objectFrom({ NS: 'test', DB: 'test', AC: 'brief', name });

attack(31, 'live queries that outlive sign-out, expiry and another sign-in', async () => {
  await run(
    world.owner,
    `DEFINE ACCESS brief ON DATABASE TYPE RECORD SIGNUP (CREATE user SET name = $name) SIGNIN (SELECT * FROM user WHERE name = $name)
       DURATION FOR SESSION 1h;
     DEFINE USER sys ON DATABASE PASSWORD 'a long password' ROLES OWNER;
     DEFINE TABLE public PERMISSIONS FULL`,
  );
  for (const [what, leave] of Object.entries(TRANSITIONS)) {
    const session = world.guest();
    const { news } = ear(session);
    await session.signUp(PERSON(`ann, until ${what}`));
    await live(session, 'LIVE SELECT VALUE $auth FROM public');
    await run(world.owner, 'CREATE public');
    const [before] = await news();
    expect(before, what).toMatch(/ user:\w+$/);
    // What has been committed and not yet sent isn't sent to the next one either.
    const id = toText(session.identity.auth);
    const committed = run(world.owner, 'CREATE public');
    await Promise.all([committed, leave(session)]);
    await run(world.owner, 'CREATE public');
    const after = await news();
    expect(after.pop(), what).toBe('KILLED NONE NONE');
    expect(
      after.every((text) => text.endsWith(` ${id}`)),
      what,
    ).toBe(true);
    await run(world.owner, 'CREATE public');
    expect(await news(), what).toEqual([]);
    session.close();
  }
  expect(await answer(world.owner, '(INFO FOR TABLE public).lives')).toBe('{  }');
});

attack(32, 'a live query that fails and blocks writers', async () => {
  const ann = await world.person('ann');
  const { news } = ear(ann);
  await run(world.owner, 'DEFINE TABLE public PERMISSIONS FULL');
  for (const failing of [
    'SELECT * FROM public WHERE 1 / "x"',
    'SELECT VALUE <int> "x" FROM public',
    'SELECT VALUE fn::missing() FROM public',
    'SELECT VALUE { THROW "no" } FROM public',
    'SELECT VALUE (CREATE public) FROM public',
    'SELECT VALUE (DELETE public) FROM public',
    'SELECT VALUE {  } FROM public FETCH type::field(1)',
  ]) {
    await live(ann, `LIVE ${failing}`);
  }
  await live(ann, 'LIVE SELECT VALUE 1 FROM public');
  expect(await answer(world.owner, 'CREATE public:1 SET x = 1')).toBe('[{ id: public:1, x: 1 }]');
  expect(await answer(world.owner, 'UPDATE public:1 SET x = 2; DELETE public:1')).not.toMatch(/error|missing/);
  expect((await news()).filter((text) => text.endsWith(' 1'))).toHaveLength(3);
});

attack(33, "KILL of somebody else's live query", async () => {
  const [ann, bob, second] = [await world.person('ann'), await world.person('bob'), world.guest()];
  await second.signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'ann' }));
  const viewer = await world.systemUser('DV');
  const { news } = ear(ann);
  const id = await live(ann, 'LIVE SELECT VALUE id FROM note');
  const unknown = '0189d6e3-8eac-703a-9a48-d9faa78b44b9';
  for (const other of [bob, second, viewer, world.guest()]) {
    await other.use('test', 'test');
    ear(other);
    const refusal = await answer(other, `KILL u'${id}'`);
    expect(refusal).toContain(`Cannot execute KILL statement using id: u'${id}'`);
    // An unknown one is refused alike.
    expect(refusal.replaceAll(id, unknown)).toBe(await answer(other, `KILL u'${unknown}'`));
  }
  await run(world.owner, 'CREATE note:1 SET owner = user:ann');
  expect(await news()).toEqual(['CREATE note:1 note:1']);
  expect(await answer(await world.systemUser('DE'), `KILL u'${id}'`)).toBe('NONE');
  expect(await news()).toEqual(['KILLED NONE NONE']);
});
