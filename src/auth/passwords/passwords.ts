/** Password hashing: Argon2id for new hashes, and those of other systems as far as their cost is bounded. */
import { pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import type { Algorithm } from '@node-rs/argon2';
import { lazyLibrary } from '../../base/lazy.js';
import type { Environment } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import type { HashAlgorithm, PasswordHasher } from '../../functions/calls/contract.js';
import { WorkQueue } from './work-queue.js';

export interface PasswordHasherOptions {
  /**
   * Concurrent hash computations. Default: leaves one core to the event loop and one of libuv's four threads to I/O.
   */
  readonly maxRunning?: number;
  /** Maximum queue length. Default: 128. */
  readonly maxWaiting?: number;
}

/** Hashes and verifies passwords in a time that doesn't reveal whether a user exists. */
export interface CredentialHasher extends PasswordHasher {
  /** Whether `password` matches `hash` (Argon2). Without a hash the answer is false after the same time. */
  verifyCredential(hash: string | undefined, password: string): Promise<boolean>;
  /** Whether the hash is weaker than new ones, and should be replaced. */
  isOutdated(hash: string): boolean;
  /** Whether the next password would fail with `hashing_busy`. */
  readonly busy: boolean;
}

/** How one algorithm hashes and verifies. Passwords come as bounded UTF-8. */
interface Scheme {
  hash(password: Buffer, salt: Uint8Array): Promise<string>;
  /** Prepares verification against `hash`; `undefined` if it is malformed or exceeds the cost limits. */
  verifier(hash: string): ((password: Buffer) => Promise<boolean>) | undefined;
  /** Bytes; longer passwords are denied rather than truncated. */
  readonly maxPasswordBytes: number;
}

const MAX_PASSWORD_BYTES = 1024;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

const argon2 = lazyLibrary<typeof import('@node-rs/argon2')>('@node-rs/argon2');
const bcrypt = lazyLibrary<typeof import('@node-rs/bcrypt')>('@node-rs/bcrypt');

// The library's const enum cannot be imported by files that are compiled one by one.
const ARGON2ID = 2 as Algorithm.Argon2id;
/** 19 MiB, two passes: the minimum of the OWASP Password Storage Cheat Sheet, and the reference engine's choice. */
const ARGON2 = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: HASH_BYTES } as const;
/** A version, the cost, and 22 characters of salt with 31 of hash. */
const BCRYPT_HASH = /^\$2[abxy]?\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const BCRYPT_COST = 12;
const PBKDF2 = { i: 600_000, l: HASH_BYTES } as const;
const SCRYPT = { ln: 17, r: 8, p: 1 } as const;

/** Cost limits of imported hashes: the usual settings of other systems, up to about one second. */
const LIMITS = {
  argon2: { memoryKib: 128 * 1024, memoryKibTimesPasses: 512 * 1024, parallelism: 16 },
  bcrypt: { cost: 14 },
  pbkdf2: { blocks: 2_000_000 },
  scrypt: { memoryBytes: 128 * 1024 * 1024, memoryBytesTimesLanes: 256 * 1024 * 1024 },
} as const;
const MAX_HASH_LENGTH = 512;

/** Hash of an unknown password with the parameters of `ARGON2`: unknown users are verified against it. */
const DUMMY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$kT8m1sZ0pVbE0mYcXq7o4A$O7pEzq0L3mZc1r5tJ9b2dXfKQw8sVhYuNn4aGi6RkCs';

const PBKDF2_DIGESTS: Readonly<Record<string, { name: string; bytes: number }>> = {
  'pbkdf2-sha256': { name: 'sha256', bytes: 32 },
  'pbkdf2-sha512': { name: 'sha512', bytes: 64 },
};

const deriveByPbkdf2 = promisify(pbkdf2);
const deriveByScrypt = (password: Uint8Array, salt: Uint8Array, length: number, { ln, r, p }: ScryptParameters) =>
  new Promise<Buffer>((resolve, reject) => {
    const N = 2 ** ln;
    // Node's limit must be raised to the memory that the parameters need.
    const maxmem = 128 * r * (N + p) + 1024 * 1024;
    scrypt(password, salt, length, { N, r, p, maxmem }, (error, key) => (error ? reject(error) : resolve(key)));
  });
interface ScryptParameters {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

const SCHEMES: Readonly<Record<HashAlgorithm, Scheme>> = {
  argon2: {
    maxPasswordBytes: MAX_PASSWORD_BYTES,
    hash: (password, salt) => argon2().hash(password, { ...ARGON2, salt }),
    verifier(hash) {
      const limits = LIMITS.argon2;
      const asked = parsed(() => argon2().parseOptions(hash));
      const allowed =
        asked !== undefined &&
        asked.memoryCost <= limits.memoryKib &&
        asked.memoryCost * asked.timeCost <= limits.memoryKibTimesPasses &&
        asked.parallelism <= limits.parallelism;
      return allowed ? (password) => argon2().verify(hash, password) : undefined;
    },
  },

  bcrypt: {
    maxPasswordBytes: 72,
    hash: (password, salt) => bcrypt().hash(password, BCRYPT_COST, salt),
    verifier(hash) {
      const cost = BCRYPT_HASH.exec(hash)?.[1];
      return cost !== undefined && Number(cost) <= LIMITS.bcrypt.cost
        ? (password) => bcrypt().verify(password, hash)
        : undefined;
    },
  },

  pbkdf2: {
    maxPasswordBytes: MAX_PASSWORD_BYTES,
    async hash(password, salt) {
      const key = await deriveByPbkdf2(password, salt, PBKDF2.i, PBKDF2.l, 'sha256');
      return printPhc('pbkdf2-sha256', PBKDF2, salt, key);
    },
    verifier(text) {
      const phc = parsePhc(text, ['i', 'l']);
      const digest = phc && PBKDF2_DIGESTS[phc.id];
      if (phc === undefined || digest === undefined) return undefined;
      const { salt, hash } = phc;
      const { i, l } = phc.parameters;
      const blocks = i * Math.ceil(l / digest.bytes);
      if (i === 0 || l !== hash.length || blocks > LIMITS.pbkdf2.blocks) return undefined;
      return async (password) => timingSafeEqual(await deriveByPbkdf2(password, salt, i, l, digest.name), hash);
    },
  },

  scrypt: {
    maxPasswordBytes: MAX_PASSWORD_BYTES,
    async hash(password, salt) {
      return printPhc('scrypt', SCRYPT, salt, await deriveByScrypt(password, salt, HASH_BYTES, SCRYPT));
    },
    verifier(text) {
      const phc = parsePhc(text, ['ln', 'r', 'p']);
      if (phc?.id !== 'scrypt') return undefined;
      const { salt, hash, parameters } = phc;
      const memory = 128 * parameters.r * 2 ** parameters.ln;
      const allowed =
        memory > 0 &&
        parameters.ln > 0 &&
        parameters.p > 0 &&
        memory <= LIMITS.scrypt.memoryBytes &&
        memory * parameters.p <= LIMITS.scrypt.memoryBytesTimesLanes;
      return allowed
        ? async (password) => timingSafeEqual(await deriveByScrypt(password, salt, hash.length, parameters), hash)
        : undefined;
    },
  },
};

/**
 * Password hashing on libuv's threads, never on the event loop, and bounded:
 *
 * | algorithm | parameters | text |
 * |---|---|---|
 * | argon2 | argon2id, 19 MiB, 2 passes, 1 lane | `$argon2id$v=19$m=19456,t=2,p=1$…` |
 * | bcrypt | cost 12; passwords of more than 72 bytes are refused, not cut | `$2b$12$…` |
 * | pbkdf2 | HMAC-SHA-256, 600,000 rounds | `$pbkdf2-sha256$i=600000,l=32$…` |
 * | scrypt | N = 2^17, r = 8, p = 1 | `$scrypt$ln=17,r=8,p=1$…` |
 *
 * Verifying takes other parameters too, up to about a second's work; a hash that asks for more, or isn't one, is no
 * match.
 *
 * @throws TesseraError `password_too_long`, `hashing_busy` (retryable, HTTP 429)
 */
export function createPasswordHasher(environment: Environment, options: PasswordHasherOptions = {}): CredentialHasher {
  const spareCores = Math.max(1, availableParallelism() - 1);
  const queue = new WorkQueue(options.maxRunning ?? Math.min(3, spareCores), options.maxWaiting ?? 128);

  const hasher: CredentialHasher = {
    async hash(algorithm, password) {
      const scheme = SCHEMES[algorithm];
      const bytes = passwordBytes(password, scheme.maxPasswordBytes);
      return queue.run(() => scheme.hash(bytes, environment.random.bytes(SALT_BYTES)));
    },

    async verify(algorithm, hash, password) {
      const scheme = SCHEMES[algorithm];
      const bytes = passwordBytes(password, MAX_PASSWORD_BYTES);
      const verify = hash.length <= MAX_HASH_LENGTH ? scheme.verifier(hash) : undefined;
      if (verify === undefined || bytes.length > scheme.maxPasswordBytes) return false;
      return queue.run(() => verify(bytes).catch(() => false));
    },

    async verifyCredential(hash, password) {
      // A missing user and a user without a usable hash must cost the same as a valid one.
      const usable =
        hash !== undefined && hash.length <= MAX_HASH_LENGTH && SCHEMES.argon2.verifier(hash) !== undefined;
      const matches = await hasher.verify('argon2', usable ? hash : DUMMY_HASH, password);
      return usable && matches;
    },

    isOutdated(hash) {
      const asked = hash.length <= MAX_HASH_LENGTH ? parsed(() => argon2().parseOptions(hash)) : undefined;
      if (asked === undefined) return false;
      return asked.algorithm !== ARGON2ID || asked.memoryCost * asked.timeCost < ARGON2.memoryCost * ARGON2.timeCost;
    },

    get busy() {
      return queue.full;
    },
  };
  return hasher;
}

function passwordBytes(password: string, limit: number): Buffer {
  // A UTF-16 unit is at least one byte, so that huge texts are denied before they are copied.
  if (password.length > limit) throw failure('password_too_long', { limit });
  const bytes = Buffer.from(password, 'utf8');
  if (bytes.length > limit) throw failure('password_too_long', { limit });
  return bytes;
}

function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/**
 * Hashes in the PHC string format, `$id$name=number,…$salt$hash`, as PBKDF2 and scrypt are stored
 * (https://github.com/P-H-C/phc-string-format). Salt and hash are base64 without padding.
 */
interface PhcHash<P extends string> {
  readonly id: string;
  readonly parameters: Readonly<Record<P, number>>;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** Longer texts aren't hashes; salt and hash have at most this many bytes. */
const MAX_LENGTH = 512;
const FORM = /^\$([a-z0-9-]{1,32})\$([a-z0-9=,]+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
const NUMBER = /^(?:0|[1-9][0-9]{0,9})$/;

/** A hash in the PHC string format: `$pbkdf2-sha256$i=600000,l=32$SALT$HASH`. */
function printPhc(
  id: string,
  parameters: Readonly<Record<string, number>>,
  salt: Uint8Array,
  hash: Uint8Array,
): string {
  const pairs = Object.entries(parameters).map(([name, number]) => `${name}=${number}`);
  return `$${id}$${pairs.join(',')}$${base64(salt)}$${base64(hash)}`;
}

/** Reads a hash that has exactly the parameters `names`, in any order; `undefined` for every other text. */
function parsePhc<P extends string>(text: string, names: readonly P[]): PhcHash<P> | undefined {
  const [, id, pairs, salt, hash] = (text.length <= MAX_LENGTH && FORM.exec(text)) || [];
  if (id === undefined || pairs === undefined || salt === undefined || hash === undefined) return undefined;
  const parameters = new Map<string, number>();
  for (const pair of pairs.split(',')) {
    const [name = '', number = '', ...rest] = pair.split('=');
    if (rest.length > 0 || parameters.has(name) || !NUMBER.test(number)) return undefined;
    parameters.set(name, Number(number));
  }
  if (parameters.size !== names.length || !names.every((name) => parameters.has(name))) return undefined;
  return {
    id,
    parameters: Object.fromEntries(parameters) as Record<P, number>,
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '');
}
