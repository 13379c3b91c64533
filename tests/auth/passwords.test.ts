import { parseOptions } from '@node-rs/argon2';
import { hash as bcryptHash } from '@node-rs/bcrypt';
import { describe, expect, test } from 'vitest';
import { createPasswordHasher } from '../../src/auth/passwords/passwords.js';
import { WorkQueue } from '../../src/auth/passwords/work-queue.js';
import { realEnvironment } from '../../src/env/real.js';
import { HASH_ALGORITHMS } from '../../src/functions/calls/contract.js';

const hasher = createPasswordHasher(realEnvironment);

describe('hashing', () => {
  const forms = {
    argon2: /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    bcrypt: /^\$2b\$12\$[./A-Za-z0-9]{53}$/,
    pbkdf2: /^\$pbkdf2-sha256\$i=600000,l=32\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    scrypt: /^\$scrypt\$ln=17,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
  };

  test.each(HASH_ALGORITHMS)('%s: right form, right password matches, another does not', async (algorithm) => {
    const hash = await hasher.hash(algorithm, 'pässword');
    expect(hash).toMatch(forms[algorithm]);
    expect(await hasher.verify(algorithm, hash, 'pässword')).toBe(true);
    expect(await hasher.verify(algorithm, hash, 'passwort')).toBe(false);
  });

  test('hashes made by the peer match', async () => {
    const password = 'x';
    const hashes = {
      argon2: '$argon2id$v=19$m=19456,t=2,p=1$xIuFp8MXLROhXgxBX+wCpQ$KEJUDlDTWZERULDya1O8cZmouENacx1JJ9VcqE4baS4',
      bcrypt: '$2b$12$vS0eV7l6mq.FPYYHZuGvGuTDm/Y8XY8h.wxUWBTNSKVz9JAU9SQYW',
      pbkdf2: '$pbkdf2-sha256$i=600000,l=32$wqhUPHMrqCFjD9nc0l3tyg$OPI/Gnq1bnnRUQhvA+88+CwDZFUvnpSY7vqt55Aww4c',
      scrypt: '$scrypt$ln=17,r=8,p=1$WRTXSEc25AQJ4YnlJLF+cQ$VDH//XyuowdUAeEDypEzxMFHwzR2ZyVjHVjI2Sr5MHM',
    };
    for (const algorithm of HASH_ALGORITHMS) {
      expect(await hasher.verify(algorithm, hashes[algorithm], password)).toBe(true);
    }
  });

  test('passwords are bounded in bytes, and never cut', async () => {
    await expect(hasher.hash('argon2', 'ä'.repeat(513))).rejects.toMatchObject({ code: 'password_too_long' });
    await expect(hasher.verify('scrypt', '', 'x'.repeat(1025))).rejects.toMatchObject({ code: 'password_too_long' });
    await expect(hasher.hash('bcrypt', 'x'.repeat(73))).rejects.toMatchObject({
      code: 'password_too_long',
      message: 'The password is longer than 72 bytes',
    });
    const cut = await bcryptHash('x'.repeat(72), 4);
    expect(await hasher.verify('bcrypt', cut, 'x'.repeat(72))).toBe(true);
    expect(await hasher.verify('bcrypt', cut, 'x'.repeat(73))).toBe(false);
  });
});

describe('hashes from elsewhere', () => {
  const salt = 'AAAAAAAAAAAAAAAAAAAAAA';
  const hash = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

  test.each([
    ['argon2', ''],
    ['argon2', 'nonsense'],
    ['argon2', `$argon2id$v=19$m=4294967295,t=2,p=1$${salt}$${hash}`],
    ['argon2', `$argon2id$v=19$m=131072,t=1000,p=1$${salt}$${hash}`],
    ['argon2', `$argon2id$v=19$m=8,t=4294967295,p=1$${salt}$${hash}`],
    ['argon2', `$argon2id$v=19$m=65536,t=1,p=1000$${salt}$${hash}`],
    ['argon2', 'x'.repeat(100_000)],
    ['bcrypt', '$2b$31$vS0eV7l6mq.FPYYHZuGvGuTDm/Y8XY8h.wxUWBTNSKVz9JAU9SQYW'],
    ['bcrypt', '$2b$12$short'],
    ['pbkdf2', `$pbkdf2-sha256$i=4000000000,l=32$${salt}$${hash}`],
    ['pbkdf2', `$pbkdf2-sha256$i=0,l=32$${salt}$${hash}`],
    ['pbkdf2', `$pbkdf2-sha256$i=1,l=33$${salt}$${hash}`],
    ['pbkdf2', `$pbkdf2-sha256$i=1,i=1,l=32$${salt}$${hash}`],
    ['pbkdf2', `$pbkdf2-md5$i=1,l=32$${salt}$${hash}`],
    ['scrypt', `$scrypt$ln=30,r=8,p=1$${salt}$${hash}`],
    ['scrypt', `$scrypt$ln=17,r=8,p=100$${salt}$${hash}`],
    ['scrypt', `$scrypt$ln=9999999999,r=8,p=1$${salt}$${hash}`],
    ['scrypt', `$scrypt$ln=1,r=0,p=1$${salt}$${hash}`],
    ['scrypt', `$scrypt$ln=17,r=8$${salt}$${hash}`],
  ] as const)('%s refuses %.60s at no cost', async (algorithm, text) => {
    const closed = createPasswordHasher(realEnvironment, { maxRunning: 0, maxWaiting: 0 });
    expect(await closed.verify(algorithm, text, 'x')).toBe(false);
  });

  test('other parameters within the bounds are accepted', async () => {
    const bcrypt = await bcryptHash('x', 4);
    expect(await hasher.verify('bcrypt', bcrypt, 'x')).toBe(true);
    // RFC 7914 §12: scrypt("password", "NaCl", N = 1024, r = 8, p = 16), 64 bytes.
    const rfc = Buffer.from(
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
      'hex',
    );
    const text = `$scrypt$ln=10,r=8,p=16$${Buffer.from('NaCl').toString('base64').replace(/=+$/, '')}$${rfc.toString('base64').replace(/=+$/, '')}`;
    expect(await hasher.verify('scrypt', text, 'password')).toBe(true);
  });
});

describe('credentials', () => {
  test('a missing and an unusable hash cost one hash of the usual parameters, and never match', async () => {
    for (const hash of [undefined, '', 'nonsense', '$argon2id$v=19$m=4294967295,t=2,p=1$AAAA$AAAA']) {
      const busy = createPasswordHasher(realEnvironment, { maxRunning: 0, maxWaiting: 0 });
      await expect(busy.verifyCredential(hash, 'x')).rejects.toMatchObject({ code: 'hashing_busy' });
      expect(await hasher.verifyCredential(hash, 'x')).toBe(false);
    }
  });

  test('the hash for unknown users has the parameters of a new one', async () => {
    const source = await import('node:fs/promises').then((fs) =>
      fs.readFile(new URL('../../src/auth/passwords/passwords.ts', import.meta.url), 'utf8'),
    );
    const nobody = /'(\$argon2id[^']+)'/.exec(source)?.[1] ?? '';
    expect(parseOptions(nobody)).toEqual(parseOptions(await hasher.hash('argon2', 'x')));
  });

  test('what is no hash isn’t outdated: there is nothing to replace', async () => {
    for (const text of ['', 'nonsense', '$argon2id$', `$argon2id$v=19$m=8,t=1,p=1$AAAA$${'A'.repeat(2_000)}`])
      expect(hasher.isOutdated(text)).toBe(false);
    expect(hasher.isOutdated(await hasher.hash('argon2', 'right'))).toBe(false);
  });

  test('an existing hash decides', async () => {
    const hash = await hasher.hash('argon2', 'right');
    expect(await hasher.verifyCredential(hash, 'right')).toBe(true);
    expect(await hasher.verifyCredential(hash, 'wrong')).toBe(false);
  });
});

describe('the queue', () => {
  test('runs at most so many at once, lets so many wait, and refuses the rest', async () => {
    const queue = new WorkQueue(2, 3);
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const releases: (() => void)[] = [];
    const work = (index: number) => async () => {
      order.push(index);
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => releases.push(resolve));
      running--;
    };
    const accepted = [0, 1, 2, 3, 4].map((index) => queue.run(work(index)));
    await expect(queue.run(work(5))).rejects.toMatchObject({
      code: 'hashing_busy',
      httpStatus: 429,
      retryable: true,
      details: { kind: 'HashingBusy', details: { retryAfter: 1 } },
    });
    for (let done = 0; done < 5; done++) {
      releases.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(accepted);
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect(most).toBe(2);
  });

  test('goes on after failed work', async () => {
    const queue = new WorkQueue(1, 1000);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 500 }, (_, index) =>
        queue.run(async () => {
          if (index % 2 === 0) throw new Error('no');
          return index;
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(250);
  });
});
