/** The client of identity providers: what the presets and the less common clauses send. */
import { generateKeyPairSync } from 'node:crypto';
import { importSPKI, jwtVerify } from 'jose';
import { beforeEach, expect, test } from 'vitest';
import { PROVIDER_LIMITS } from '../../src/auth/oidc/discovery.js';
import { ProviderFailure } from '../../src/auth/oidc/provider-error.js';
import { type ProviderWay, providerTarget } from '../../src/auth/oidc/provider-target.js';
import { type Arrival, Providers } from '../../src/auth/oidc/providers.js';
import { challengeOf } from '../../src/auth/ways/challenge.js';
import { type NetworkAnswer, NetworkError, type NetworkHop } from '../../src/env/network.js';
import { Fetcher } from '../../src/functions/network/fetcher.js';
import { readTarget } from '../../src/functions/network/targets.js';
import { parseStatement } from '../../src/language/parse.js';
import { StubbedEnvironment } from '../support/environment.js';
import { fakeNetwork } from '../support/fake-network.js';
import { json, StubProvider } from '../support/identity-provider.js';

const CALLBACK = 'https://db.example/auth/test/test/id/callback';
const [STATE, NONCE, VERIFIER] = ['s', 'n', 'v'].map((letter) => letter.repeat(43)) as [string, string, string];
const ADDRESS = '93.184.216.34';

let environment: StubbedEnvironment;
beforeEach(() => {
  environment = new StubbedEnvironment();
});

function wayOf(text: string): ProviderWay {
  const statement = parseStatement(`DEFINE ACCESS id ON DATABASE TYPE RECORD WITH ${text}`);
  const { accessKind } = statement as unknown as { readonly accessKind: { readonly way: ProviderWay } };
  return accessKind.way;
}

function providersAt(hosts: readonly string[], answer: (hop: NetworkHop) => NetworkAnswer | Promise<NetworkAnswer>) {
  const names = Object.fromEntries(hosts.map((host) => [host, [ADDRESS]]));
  const ask = async (hop: NetworkHop) => answer(hop);
  const network = fakeNetwork({ names, servers: { [`${ADDRESS}:443`]: ask, [`${ADDRESS}:80`]: ask } });
  const allow = hosts.map((host) => readTarget(host) as never);
  const timers = { ...environment.timers, after: () => () => undefined };
  const around = {
    clock: environment.clock,
    random: environment.random,
    heap: environment.heap,
    mail: environment.mail,
  };
  const fetcher = new Fetcher({ ...around, network, timers }, { allow, deny: [] }, PROVIDER_LIMITS);
  return new Providers({ ...around, network, timers }, { fetcher, report: () => undefined });
}

const departure = { callback: CALLBACK, state: STATE, nonce: NONCE, challenge: challengeOf(VERIFIER), again: false };
const arrival = (parameters: URLSearchParams): Arrival => {
  return { callback: CALLBACK, parameters, state: STATE, nonce: NONCE, verifier: VERIFIER, asksUserInfo: false };
};

async function stub(host: string, scheme?: string): Promise<StubProvider> {
  const provider = await StubProvider.at(host, ADDRESS, scheme);
  provider.now = () => environment.seconds;
  return provider;
}

const WITH_SECRET = "CLIENT 'the-shop' SECRET 'a secret of the client'";

function ellipticKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

test('a private key takes the place of a secret (private_key_jwt)', async () => {
  const provider = await stub('id.example');
  const { pem, publicKey } = ellipticKey();
  const assertions: string[] = [];
  provider.knows = (form) => {
    assertions.push(form.get('client_assertion') ?? '');
    return form.get('client_assertion_type') === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  };
  const providers = providersAt(['id.example'], (hop) => provider.answer(hop));
  provider.lies = { claims: (claims) => ({ ...claims, aud: 'shop' }) };
  for (const [named, kid] of [
    ["ID 'key-1'", 'key-1'],
    ['', undefined],
  ] as const) {
    const target = providerTarget(wayOf(`OIDC ISSUER 'https://id.example' CLIENT 'shop' KEY '${pem}' ${named}`));
    const back = provider.signIn(await providers.depart(target, departure), { sub: 'ann', email: 'a', name: 'Ann' });
    expect((await providers.arrive(target, arrival(back))).subject).toBe('["https://id.example","ann"]');
    const assertion = assertions.at(-1) ?? '';
    const { payload, protectedHeader } = await jwtVerify(assertion, await importSPKI(publicKey, 'ES256'), {
      currentDate: new Date(environment.seconds * 1000),
    });
    expect([protectedHeader.alg, protectedHeader.kid]).toEqual(['ES256', kid]);
    expect(payload).toMatchObject({ iss: 'shop', sub: 'shop', jti: expect.any(String) });
  }
});

test('a provider without TLS is asked without, and all that it names may be so', async () => {
  const provider = await stub('id.example', 'http');
  const providers = providersAt(['id.example'], (hop) => provider.answer(hop));
  const target = providerTarget(wayOf(`OIDC ISSUER 'http://id.example' ${WITH_SECRET}`));
  const back = provider.signIn(await providers.depart(target, departure), { sub: 'ann', user: { sub: 'ann' } });
  expect((await providers.arrive(target, arrival(back))).subject).toBe('["http://id.example","ann"]');
  expect(new Set(provider.asked.map(({ url }) => url.protocol))).toEqual(new Set(['http:']));
});

test('why a provider can’t be asked is said to owners', async () => {
  const provider = await stub('id.example');
  const providers = providersAt(['id.example'], () => {
    throw new NetworkError('unreachable');
  });
  const way = wayOf(`OIDC ISSUER '${provider.issuer}' ${WITH_SECRET}`);
  expect(await providers.faultOf(way)).toMatch(/^The identity provider id.example can’t be used: .*id.example/);
  const far = wayOf(`OIDC ISSUER 'https://far.example' ${WITH_SECRET}`);
  expect(await providers.faultOf(far)).toContain('--allow-net doesn’t allow it');
});

test('Apple gets a secret that is signed, and posts its answer', async () => {
  const provider = await stub('appleid.apple.com');
  const { pem, publicKey } = ellipticKey();
  const secrets: string[] = [];
  provider.knows = (form) => {
    secrets.push(form.get('client_secret') ?? '');
    return form.get('client_id') === 'example.shop';
  };
  provider.lies = { claims: (claims) => ({ ...claims, aud: 'example.shop' }) };
  const providers = providersAt(['appleid.apple.com'], (hop) => provider.answer(hop));
  const target = providerTarget(wayOf(`OIDC APPLE TEAM 'ABCDE12345' CLIENT 'example.shop' KEY '${pem}' ID 'KEY1'`));
  const url = await providers.depart(target, departure);
  expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
    response_mode: 'form_post',
    scope: 'openid email name',
  });
  const back = provider.signIn(url, { sub: 'a.1', email: 'ann@example.com', email_verified: true, name: 'Ann' });
  await providers.arrive(target, arrival(back));
  const { payload, protectedHeader } = await jwtVerify(secrets[0] ?? '', await importSPKI(publicKey, 'ES256'), {
    currentDate: new Date(environment.seconds * 1000),
  });
  expect(protectedHeader).toMatchObject({ alg: 'ES256', kid: 'KEY1' });
  expect(payload).toMatchObject({ iss: 'ABCDE12345', sub: 'example.shop', aud: 'https://appleid.apple.com' });
});

test('parameters are pushed where a provider offers it (RFC 9126)', async () => {
  const provider = await stub('id.example');
  provider.lies = {
    metadata: (metadata) => ({ ...metadata, pushed_authorization_request_endpoint: 'https://id.example/par' }),
  };
  const providers = providersAt(['id.example'], (hop) => provider.answer(hop));
  const target = providerTarget(wayOf(`OIDC ISSUER 'https://id.example' ${WITH_SECRET}`));
  const url = await providers.depart(target, departure);
  expect([...new URL(url).searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
  const back = provider.signIn(url, { sub: 'ann', email: 'a', name: 'Ann' });
  expect((await providers.arrive(target, arrival(back))).subject).toContain('ann');
});

test('MAX AGE asks for a sign-in that is young, and takes no older one', async () => {
  const provider = await stub('id.example');
  const providers = providersAt(['id.example'], (hop) => provider.answer(hop));
  const target = providerTarget(wayOf(`OIDC ISSUER 'https://id.example' ${WITH_SECRET} MAX AGE 10m`));
  const arrive = async (person: object) => {
    const url = await providers.depart(target, departure);
    expect(new URL(url).searchParams.get('max_age')).toBe('600');
    return providers.arrive(target, arrival(provider.signIn(url, { sub: 'ann', email: 'a', name: 'Ann', ...person })));
  };
  await arrive({ auth_time: environment.seconds - 60 });
  await expect(arrive({ auth_time: environment.seconds - 3_600 })).rejects.toBeInstanceOf(ProviderFailure);
  await expect(arrive({})).rejects.toBeInstanceOf(ProviderFailure);
});

test('GitHub says who has signed in when it is asked', async () => {
  const asked: string[] = [];
  let emails: unknown = [
    { email: 'old@example.com', primary: false, verified: true },
    { email: 'Octo@Example.com', primary: true, verified: true },
  ];
  let user = json({ id: 583231, login: 'octocat', name: null });
  const providers = providersAt(['github.com', 'api.github.com'], ({ url, body, headers }) => {
    asked.push(`${url.host}${url.pathname}`);
    if (url.pathname === '/login/oauth/access_token') {
      const form = new URLSearchParams(Buffer.from(body ?? []).toString());
      const isRight = form.get('client_secret') === 'b' && form.get('code_verifier') === VERIFIER;
      return json(
        isRight ? { access_token: 't', token_type: 'bearer', scope: '' } : { error: 'bad_verification_code' },
      );
    }
    if (headers['authorization'] !== 'Bearer t') return { ...json({}), status: 401 };
    return url.pathname === '/user' ? user : json(emails);
  });
  const target = providerTarget(wayOf("OAUTH GITHUB CLIENT 'a' SECRET 'b'"));
  const url = new URL(await providers.depart(target, departure));
  expect(`${url.host}${url.pathname}`).toBe('github.com/login/oauth/authorize');
  expect(url.searchParams.get('scope')).toBe('read:user user:email');
  const arrive = () => providers.arrive(target, arrival(new URLSearchParams({ code: 'c', state: STATE })));
  const { subject, identity } = await arrive();
  expect(subject).toBe('["https://github.com","583231"]');
  expect(identity).toMatchObject({ email: 'octo@example.com', email_verified: true, name: 'octocat' });
  emails = [{ email: 'octo@example.com', primary: true, verified: false }];
  expect((await arrive()).identity).toMatchObject({ email_verified: false });
  emails = { message: 'Not Found' };
  expect((await arrive()).identity['email']).toBeUndefined();
  expect(asked).not.toContain('github.com/.well-known/openid-configuration');
  for (const wrong of [{}, { id: '583231' }, { id: 1.5 }, [], null, 'octocat']) {
    user = json(wrong);
    await expect(arrive()).rejects.toMatchObject({ told: 'access_denied' });
  }
  user = { ...json({ message: 'Forbidden' }), status: 403 };
  await expect(arrive()).rejects.toMatchObject({ told: 'provider_unavailable' });
});

test('metadata are asked for once an hour, and key sets again for a new key', async () => {
  const provider = await stub('id.example');
  const providers = providersAt(['id.example'], (hop) => provider.answer(hop));
  const target = providerTarget(wayOf(`OIDC ISSUER 'https://id.example' ${WITH_SECRET}`));
  const count = (path: string) => provider.asked.filter(({ url }) => url.pathname === path).length;
  const signIn = async () => {
    const url = await providers.depart(target, departure);
    return providers.arrive(target, arrival(provider.signIn(url, { sub: 'ann', email: 'a', name: 'Ann' })));
  };
  await Promise.all([signIn(), signIn(), signIn()]);
  await signIn();
  expect(count('/.well-known/openid-configuration')).toBe(1);
  environment.advance(3_600_000);
  await signIn();
  expect(count('/.well-known/openid-configuration')).toBe(2);
});

test('of exchanges at once there is a bound', async () => {
  let release = () => {};
  const waiting = new Promise<void>((resolve) => {
    release = resolve;
  });
  const provider = await stub('id.example');
  const providers = providersAt(['id.example'], async (hop) => {
    await waiting;
    return provider.answer(hop);
  });
  const target = providerTarget(wayOf(`OIDC ISSUER 'https://id.example' ${WITH_SECRET}`));
  const all = Array.from({ length: 65 }, () =>
    providers.depart(target, departure).then(
      () => 'left',
      () => 'refused',
    ),
  );
  expect(await all.at(-1)).toBe('refused');
  release();
  expect((await Promise.all(all)).filter((each) => each === 'left')).toHaveLength(64);
});

test('keys of a foreign form aren’t taken', async () => {
  const { algorithmOfClientKey } = await import('../../src/auth/oidc/client-key.js');
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const pkcs1 = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const texts = [
    'x',
    small.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    pkcs1.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString(),
  ];
  for (const text of texts) expect(() => algorithmOfClientKey(text)).toThrow(/KEY must be a private key/);
  const good = pkcs1.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  expect(algorithmOfClientKey(good)).toBe('RS256');
  expect(algorithmOfClientKey(ellipticKey().pem)).toBe('ES256');
  const edwards = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  expect(algorithmOfClientKey(edwards)).toBe('EdDSA');
});
