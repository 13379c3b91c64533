/** Guesses of a record user's password: how many are judged at once, however the variables are named. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_RULES } from '../../src/auth/attempts/throttle-rules.js';
import { realEnvironment } from '../../src/env/real.js';
import type { TesseraError } from '../../src/errors/error.js';
import { objectFrom, type Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { answer, run, World } from '../support/world.js';

let environment: StubbedEnvironment;
let world: World;
beforeEach(async () => {
  environment = new StubbedEnvironment();
  environment.timers.yield = () => new Promise((resolve) => setImmediate(resolve));
  world = await World.open({ environment });
});
afterEach(() => world.close());

const GUESSES = 100;
/** Guesses before the first delay. */
const OF_ACCOUNT = DEFAULT_RULES.account.free + 1;
const OF_PART = DEFAULT_RULES.part.free + 1;
type Variables = Record<string, Value>;

const signIn = async (variables: Variables, ip: string) =>
  world.database.session({ ip }).signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'account', ...variables }));

async function settled(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await realEnvironment.timers.yield?.();
}

/** How many of a hundred guesses are judged before any time has passed, all from other addresses. */
async function judged(guess: (at: number) => Variables): Promise<number> {
  let count = 0;
  for (let at = 0; at < GUESSES; at++)
    void signIn(guess(at), `192.0.2.${at}`).catch(({ code }: TesseraError) => {
      if (code === 'invalid_auth') count++;
    });
  await settled();
  // Failures are answered at a fixed time.
  environment.advance(900);
  await settled();
  return count;
}

const WHERE = 'SELECT * FROM user WHERE email = $email AND crypto::argon2::compare(hash';
const define = (clause: string) => run(world.owner, `DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (${clause})`);

describe('guesses of one account are few', () => {
  test.each(['password', 'pw', 'clave', 'mdp', 'senha'])('where the password is $%s', async (name) => {
    await define(`${WHERE}, $${name})`);
    expect(await judged((at) => ({ email: 'ann', [name]: `guess ${at}` }))).toBe(OF_ACCOUNT);
  });

  test('within an object', async () => {
    await define('SELECT * FROM user WHERE email = $c.email AND crypto::argon2::compare(hash, $c.clave)');
    expect(await judged((at) => ({ c: objectFrom({ email: 'ann', clave: `guess ${at}` }) }))).toBe(OF_ACCOUNT);
  });

  test('where a function judges them, of which the clause says nothing', async () => {
    await run(world.owner, 'DEFINE FUNCTION fn::find($email: any, $x: any) { RETURN NONE }');
    await define('RETURN fn::find($email, $clave)');
    expect(await judged((at) => ({ email: 'ann', clave: `guess ${at}` }))).toBe(OF_PART);
  });

  test('where another variable varies', async () => {
    await define(`${WHERE}, $clave) AND $device != NONE`);
    expect(await judged((at) => ({ email: 'ann', clave: `guess ${at}`, device: at }))).toBe(OF_PART);
  });

  test('where any number of variables varies', async () => {
    await define('SELECT * FROM user WHERE email = $c.email AND crypto::argon2::compare(hash, $clave) AND $c != NONE');
    const crowd = (at: number) => Object.fromEntries(Array.from({ length: 20 }, (_, each) => [`a${each}`, at]));
    const guess = (at: number) => ({ c: objectFrom({ ...crowd(at), email: 'ann' }), clave: `guess ${at}` });
    expect(await judged(guess)).toBe(OF_PART);
  });
});

test('guesses of one account delay no other one, also within objects', async () => {
  await run(world.owner, "CREATE user SET email = 'bob', hash = crypto::argon2::generate('right')");
  await define('SELECT * FROM user WHERE email = $c.email AND crypto::argon2::compare(hash, $c.clave)');
  await judged((at) => ({ c: objectFrom({ email: 'ann', clave: `guess ${at}` }) }));
  await signIn({ c: objectFrom({ email: 'bob', clave: 'right' }) }, '198.51.100.1');
});

test('a value with which many have signed in counts no longer by itself', async () => {
  await define('SELECT * FROM type::record("user", $name) WHERE company = $company');
  await run(world.owner, 'FOR $n IN 0..100 { CREATE type::record("user", <string> $n) SET company = "acme" }');
  for (let at = 0; at < 100; at++) await signIn({ name: String(at), company: 'acme' }, `192.0.2.${at}`);
  expect(await judged((at) => ({ name: `nobody ${at}`, company: 'acme' }))).toBe(GUESSES);
  await signIn({ name: '7', company: 'acme' }, '198.51.100.1');
  expect(await answer(world.owner, 'RETURN 1')).toBe('1');
});
