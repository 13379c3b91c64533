/** The time limit of a request ends its sign-ins, however many there are. */
import { expect, it } from 'vitest';
import { DEFAULT_GRAPHQL_LIMITS } from '../../src/graphql/base/limits.js';
import { GraphqlService } from '../../src/graphql/service.js';
import { createGraphqlHandler } from '../../src/graphql/transports/handler.js';
import { StubbedEnvironment } from '../support/environment.js';
import { run, World } from '../support/world.js';

const SECOND = 1_000;

it('forty wrong sign-ins of one account end with the request, and none takes effect later', async () => {
  const environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
  const world = await World.open({ environment, guests: true });
  await run(
    world.owner,
    `DEFINE CONFIG GRAPHQL AUTO; CREATE user:ann;
     DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user:ann WHERE $pwd = 39 AND $name = 'ann')`,
  );
  const session = world.guest();
  await session.use('test', 'test');
  // The last one is right.
  const fields = Array.from(
    { length: 40 },
    (_, at) => `a${at}: signIn(access: "account", variables: {name: "ann", pwd: ${at}}) { token }`,
  );
  const handle = createGraphqlHandler(new GraphqlService(), 'standard');
  let answer: string | undefined;
  void handle({
    session,
    accept: 'application/graphql-response+json',
    contentType: 'application/json',
    body: JSON.stringify({ query: `mutation { ${fields.join(' ')} }` }),
  }).then(({ body }) => {
    answer = String(body);
  });
  const began = environment.clock.monotonic();
  const settle = async () => {
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  for (await settle(); answer === undefined; await settle()) environment.advance(SECOND);
  expect(environment.clock.monotonic() - began).toBeLessThanOrEqual(DEFAULT_GRAPHQL_LIMITS.time + SECOND);
  const { errors } = JSON.parse(answer) as { errors: { extensions: { code: string } }[] };
  const codes = errors.map(({ extensions: { code } }) => code);
  expect(codes).toHaveLength(40);
  expect(codes.filter((code) => code === 'timed_out').length).toBeGreaterThan(20);
  for (let second = 0; second < 900; second += 30) {
    environment.advance(30 * SECOND);
    await settle();
  }
  expect(session.identity.principal.kind).toBe('guest');
  await world.close();
});
