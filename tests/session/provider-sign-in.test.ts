/** Signing in at an identity provider: DEFINE ACCESS … WITH OIDC. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ProviderWorld, REDIRECT, VERIFIER } from '../security/identity/provider-world.js';

let world: ProviderWorld;
beforeEach(async () => {
  world = await ProviderWorld.open();
});
afterEach(() => world.close());

const ANN = { sub: 'ann-1', email: 'Ann@Example.com', email_verified: true, name: 'Ann' };

test('a new user signs up, and is the same record the next time', async () => {
  const url = new URL(await world.began({ variables: { note: 'hello' } }));
  expect(`${url.origin}${url.pathname}`).toBe('https://id.example/authorize');
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    response_type: 'code',
    client_id: 'the-shop',
    redirect_uri: 'https://db.example/auth/test/test/id/callback',
    scope: 'openid email profile',
    code_challenge_method: 'S256',
  });
  const to = (await world.back(world.id.signIn(url.href, ANN))) as URL;
  expect(`${to.origin}${to.pathname}`).toBe(REDIRECT);
  const answer = await world.redeem({ code: to.searchParams.get('code'), verifier: VERIFIER });
  expect([answer.statusCode, answer.body, world.log]).toEqual([200, expect.any(String), []]);
  expect(await world.value('SELECT VALUE [email, name, subject, note] FROM user')).toEqual([
    ['ann@example.com', 'Ann', 'ann-1', 'hello'],
  ]);
  const again = await world.signIn({ ...ANN, acr: 'gold', auth_time: 1, groups: ['staff'] });
  expect(again.claims).toMatchObject({
    amr: ['fed'],
    acr: 'aal1',
    auth_time: world.owned.environment.seconds,
    idp: { iss: 'https://id.example', sub: 'ann-1', acr: 'gold', auth_time: 1, groups: ['staff'] },
  });
  expect(await world.value('SELECT VALUE id FROM user')).toHaveLength(1);
});
