/** What GraphQL subscriptions tell, to whom, and until when. What they share with live queries is in `live-queries.test.ts`. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { GraphqlService } from '../../src/graphql/service.js';
import type { Session } from '../../src/session/contract.js';
import { objectFrom } from '../../src/value/value.js';
import { Subscriber } from '../support/graphql-subscriber.js';
import { run, World } from '../support/world.js';

let world: World;
let service: GraphqlService;

beforeEach(async () => {
  world = await World.open();
  service = new GraphqlService();
  await run(
    world.owner,
    `DEFINE CONFIG GRAPHQL AUTO;
     DEFINE TABLE note PERMISSIONS FOR select WHERE owner = $auth;
     DEFINE FIELD owner ON note TYPE option<record<user>>;
     DEFINE FIELD text ON note TYPE option<string>;
     DEFINE FIELD link ON note TYPE option<record<hidden>>;
     DEFINE FIELD secret ON note TYPE option<string> PERMISSIONS FOR select NONE;
     DEFINE TABLE hidden PERMISSIONS NONE; DEFINE FIELD text ON hidden TYPE string;
     DEFINE TABLE about TYPE RELATION FROM note TO hidden PERMISSIONS NONE; DEFINE FIELD x ON about TYPE option<int>;
     CREATE hidden:1 SET text = 'h1dden'`,
  );
});
afterEach(() => world.close());

const EVERYTHING = 'subscription { note { action id record { text secret link { text } about { x out { text } } } } }';

function subscribe(session: Session, query = EVERYTHING): Promise<Subscriber> {
  return Subscriber.open({ service, owner: world.owner }, query, { session });
}

/** Each answer as text. */
async function told(subscriber: Subscriber): Promise<string[]> {
  return (await subscriber.news()).map((answer) => JSON.stringify(answer));
}

test('records that the subscriber may not see are not sent, nor how they were out of sight', async () => {
  const all = await subscribe(await world.person('ann'));
  await run(world.owner, "CREATE note:1 SET owner = user:bob, text = 'of bob', secret = 's3cret', link = hidden:1");
  expect(await told(all)).toEqual([]);
  await run(
    world.owner,
    "UPDATE note:1 SET owner = user:ann, text = 'of ann'; RELATE note:1->about->hidden:1 SET x = 1",
  );
  const seen = { text: 'of ann', secret: null, link: null, about: [] };
  expect((await all.news())[0]?.data).toEqual({ note: { action: 'UPDATE', id: 'note:1', record: seen } });
  await run(world.owner, "UPDATE note:1 SET owner = user:bob, text = 'of bob again'; DELETE note:1");
  expect(await told(all)).toEqual([]);
});

test('a change of a hidden field is none', async () => {
  const all = await subscribe(await world.person('ann'));
  await run(
    world.owner,
    "CREATE note:1 SET owner = user:ann; UPDATE note:1 SET secret = 'a'; UPDATE note:1 SET secret = 'b'; DELETE note:1",
  );
  expect((await all.newsOf('note')).map((event) => (event as { action: string }).action)).toEqual(['CREATE', 'DELETE']);
});

test('filters find out nothing about what is hidden', async () => {
  const ann = await world.person('ann');
  const filters = [
    '{secret: {eq: "s"}}',
    '{secret: {gt: ""}}',
    '{secret: {contains: "s"}}',
    '{link: {exists: true}}',
    '{about: {exists: true}}',
  ];
  const all = await Promise.all(
    filters.map((filter) => subscribe(ann, `subscription { note(filter: ${filter}) { id } }`)),
  );
  await run(
    world.owner,
    "CREATE note:1 SET owner = user:ann, secret = 's', link = hidden:1; RELATE note:1->about->hidden:1; UPDATE note:1 SET text = 'x'",
  );
  for (const each of all) expect(await told(each)).toEqual([]);
});

test('rights are those of now', async () => {
  const all = await subscribe(await world.person('ann'));
  const change = (text: string) => run(world.owner, `UPSERT note:1 SET owner = user:ann, text = '${text}'`);
  await change('seen');
  expect(await told(all)).toHaveLength(1);
  await run(world.owner, 'DEFINE TABLE OVERWRITE note PERMISSIONS NONE');
  await change('unseen');
  expect(await told(all)).toEqual([]);
  await run(
    world.owner,
    'DEFINE TABLE OVERWRITE note PERMISSIONS FULL; DEFINE FIELD OVERWRITE text ON note TYPE option<string> PERMISSIONS NONE',
  );
  await change('hidden text');
  const texts = await told(all);
  expect(texts.join()).not.toContain('hidden text');
  expect(texts).toHaveLength(0);
});

test('a role that is taken away is gone', async () => {
  const viewer = await world.systemUser('DV');
  const all = await subscribe(viewer, 'subscription { note { record { secret } } }');
  await run(world.owner, "CREATE note:1 SET secret = 'for viewers'");
  expect(await told(all)).toHaveLength(1);
  await run(world.owner, "REMOVE USER DV ON DATABASE; CREATE note:2 SET secret = 'for viewers'");
  expect([await told(all), all.end]).toEqual([[], 'session_expired']);
});

test.each<[string, (session: Session) => unknown]>([
  ['signs out', (session) => session.invalidate()],
  [
    'signs in as somebody else',
    (session) => session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'bob' })),
  ],
  ['forgets everything', (session) => session.reset()],
])('nothing is told to a session that %s', async (_, leave) => {
  const ann = await world.person('ann');
  const all = await subscribe(ann);
  await Promise.all([
    run(world.owner, "CREATE note:1 SET owner = user:ann, text = 'for ann', link = hidden:1"),
    leave(ann),
  ]);
  await run(world.owner, "CREATE note:2 SET owner = user:bob, text = 'for bob'");
  // A user who was still there when the first change was committed may have got it.
  expect((await told(all)).filter((text) => !text.includes('"text":"for ann"'))).toEqual([]);
  expect(all.end).toBe('live_queries_abandoned');
  expect(await run(world.owner, 'RETURN (INFO FOR TABLE note).lives')).toEqual([{}]);
});

test('guests subscribe to what is public, if to anything', async () => {
  const guest = world.guest();
  await guest.use('test', 'test');
  const all = await subscribe(guest);
  await run(world.owner, 'DEFINE TABLE OVERWRITE note PERMISSIONS FULL; CREATE note:1');
  expect(await told(all)).toHaveLength(1);
});

test('a filter that fails reveals nothing, and holds up no one', async () => {
  const all = await subscribe(world.owner, 'subscription { note(filter: {text: {regex: "("}}) { id } }').catch(
    (error: Error) => error.message,
  );
  const other = await subscribe(world.owner, 'subscription { note { id } }');
  await run(world.owner, "CREATE note:1 SET text = 'x'");
  expect(await told(other)).toHaveLength(1);
  if (typeof all !== 'string') expect(await told(all)).toEqual([]);
});
