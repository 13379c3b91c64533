/** System users by a provider where three servers use one store: each step at another one. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { realEnvironment } from '../../../src/env/real.js';
import { readTarget } from '../../../src/functions/network/targets.js';
import { objectFrom } from '../../../src/value/value.js';
import { type OpenNode, openNodes, until } from '../../nodes/shared-engines.js';
import { run } from '../../nodes/two-nodes.js';
import { CLIENT, providersNetwork, StubProvider } from '../../support/identity-provider.js';
import { simulatedNodes } from '../../support/shared-nodes.js';
import { CHALLENGE, VERIFIER } from './provider-world.js';

const AT_ONCE = { minimum: 0, step: 1, maximum: 1 };
const ANN = { sub: 'ann-1', email: 'ann@corp.example', email_verified: true, name: 'Ann' };

let provider: StubProvider;
let nodes: OpenNode[];
beforeEach(async () => {
  provider = await StubProvider.at('corp.example', '93.184.216.35');
  provider.now = () => Math.floor(Date.now() / 1_000);
  const shared = await simulatedNodes({ count: 3 });
  nodes = await openNodes(shared, () => ({
    environment: { ...realEnvironment, network: providersNetwork(provider) },
    network: { allow: [readTarget('corp.example') as never] },
    authentication: { failureDelay: AT_ONCE, startDelay: AT_ONCE, publicUrls: ['https://db.example'] },
  }));
  await owned(
    0,
    `DEFINE ACCESS staff ON ROOT TYPE JWT WITH OIDC ISSUER 'https://corp.example'
       CLIENT '${CLIENT.id}' SECRET '${CLIENT.secret}' ROLES ['OWNER']`,
  );
});
afterEach(async () => {
  for (const { database } of nodes) await database.close();
});

const databaseOf = (node: number) => (nodes[node] as OpenNode).database;

async function owned(node: number, text: string): Promise<unknown> {
  const owner = await (nodes[node] as OpenNode).owner();
  try {
    return (await run(owner, text)).at(-1);
  } finally {
    owner.close();
  }
}

/** Begins at one, comes back at another; the code. */
async function codeFor(begins: number, returns: number): Promise<string> {
  await until(async () => (await databaseOf(begins).providerAccesses({})).length === 1);
  const target = { databasePath: {}, access: 'staff', body: objectFrom({ challenge: CHALLENGE }) };
  const { url = '' } = await databaseOf(begins).session({}).startSignIn(target);
  await until(async () => (await databaseOf(returns).providerAccesses({})).length === 1);
  const to = await databaseOf(returns).returnFromProvider({}, 'staff', provider.signIn(url, ANN));
  return (to.to === 'app' && new URL(to.location).searchParams.get('code')) || JSON.stringify(to);
}

test('begins at one, comes back at another, and signs in at a third', async () => {
  const code = await codeFor(0, 1);
  const session = databaseOf(2).session({});
  session.listen(() => undefined);
  await session.signIn(objectFrom({ AC: 'staff', code, verifier: VERIFIER }));
  expect((await run(session, 'RETURN $token.ID')).at(-1)).toBe('ann@corp.example');
  // What removes the access method at one ends the session at another.
  await owned(0, 'REMOVE ACCESS staff ON ROOT');
  const lives = async () => (await session.query('RETURN 1')).length > 0;
  await until(() =>
    lives().then(
      () => false,
      ({ code: ended }) => ended === 'session_expired',
    ),
  );
  session.close();
});

test('of codes that all redeem at once, each lets one in', async () => {
  const code = await codeFor(0, 1);
  const redeem = (node: number) =>
    databaseOf(node)
      .session({})
      .signIn(objectFrom({ AC: 'staff', code, verifier: VERIFIER }));
  const all = await Promise.allSettled([0, 1, 2, 0, 1, 2].map(redeem));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});
