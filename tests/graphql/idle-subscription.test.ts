/** Notifications of a subscription don't count as activity of its session. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GraphqlService } from '../../src/graphql/service.js';
import { StubbedEnvironment } from '../support/environment.js';
import { Subscriber } from '../support/graphql-subscriber.js';
import { run, World } from '../support/world.js';

const HALF_AN_HOUR = 1_800_000;

let environment: StubbedEnvironment;
let world: World;
beforeEach(async () => {
  environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
  world = await World.open({ environment, sessions: { idle: 2 * HALF_AN_HOUR } });
  await run(
    world.owner,
    `DEFINE CONFIG GRAPHQL AUTO; DEFINE TABLE tag PERMISSIONS FULL; DEFINE FIELD name ON tag TYPE string; CREATE tag:1 SET name = 'x';
     DEFINE TABLE note PERMISSIONS FULL; DEFINE FIELD tag ON note TYPE option<record<tag>>`,
  );
});
afterEach(() => world.close());

it('a busy subscription keeps no idle session alive; a query does', async () => {
  const service = new GraphqlService();
  const [idle, busy] = [await world.person('ann'), await world.person('bob')];
  const query = 'subscription { note { id record { tag { name } } } }';
  const all: Subscriber[] = [];
  for (const session of [idle, busy])
    all.push(await Subscriber.open({ service, owner: world.owner }, query, { session }));
  const heard = async () => Promise.all(all.map(async (subscriber) => (await subscriber.news()).length));
  await run(world.owner, 'CREATE note:1 SET tag = tag:1');
  expect(await heard()).toEqual([1, 1]);
  await environment.advance(HALF_AN_HOUR);
  await run(world.owner, 'CREATE note:2 SET tag = tag:1');
  await run(busy, 'RETURN 1');
  expect(await heard()).toEqual([1, 1]);
  await environment.advance(HALF_AN_HOUR);
  await run(world.owner, 'CREATE note:3 SET tag = tag:1');
  expect(await heard()).toEqual([0, 1]);
  expect(all.map(({ end }) => end)).toEqual(['session_expired', undefined]);
});
