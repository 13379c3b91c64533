/**
 * Encryption of backups. Each blob is sealed by itself with AES-256-GCM, under a key that each backup derives with a
 * salt of its own from a passphrase (scrypt) or from the bytes of a key file (HKDF):
 *
 *     sealed blob:  nonce (12 bytes) · ciphertext · tag (16 bytes)
 *
 * The id of the backup and the name of the blob are authenticated with it, so that a blob can't take the place of
 * another. Nonces are random: one key seals far fewer than the 2^32 blobs for which that is safe (NIST SP 800-38D).
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { failure } from '../../errors/error.js';

const CIPHER = 'aes-256-gcm';
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const KEY_LENGTH = 32;
const SALT_LENGTH = 32;
/** 128 MiB and some 0.4 s: what OWASP's Password Storage Cheat Sheet recommends. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1 } as const;
/** Parameters from a backup take no more than 1 GiB, and no more than some seconds: N times r times p. */
const MAX_SCRYPT_MEMORY = 2 ** 30;
const MAX_SCRYPT_WORK = 2 ** 24;
const HKDF_PURPOSE = 'tessera backup';

/** The secret that opens backups. */
export type Secret =
  | { readonly kind: 'passphrase'; readonly bytes: Uint8Array }
  | { readonly kind: 'key'; readonly bytes: Uint8Array };

/** The parameters by which the key of a backup is derived from a secret; stored unencrypted in the backup. */
export type Derivation =
  | { readonly kind: 'scrypt'; readonly salt: string; readonly N: number; readonly r: number; readonly p: number }
  | { readonly kind: 'hkdf-sha256'; readonly salt: string };

/** Seals and opens the blobs of one backup. */
export interface Sealing {
  /** `undefined` for an unencrypted backup. */
  readonly derivation: Derivation | undefined;
  seal(name: string, bytes: Uint8Array): Uint8Array;
  /** `undefined` if the bytes weren't sealed under this name with this key. */
  open(name: string, sealed: Uint8Array): Uint8Array | undefined;
}

const IN_THE_CLEAR: Sealing = { derivation: undefined, seal: (_, bytes) => bytes, open: (_, sealed) => sealed };

/** Creates the sealing of a new backup with an id. */
export async function newSealing(secret: Secret | undefined, id: string): Promise<Sealing> {
  if (secret === undefined) return IN_THE_CLEAR;
  const salt = randomBytes(SALT_LENGTH).toString('base64');
  return sealingOf(
    secret,
    secret.kind === 'key' ? { kind: 'hkdf-sha256', salt } : { kind: 'scrypt', salt, ...SCRYPT },
    id,
  );
}

/** Creates the sealing of an existing backup. @throws TesseraError `backup_key_missing`, `backup_key_wrong` */
export async function sealingFor(
  secret: Secret | undefined,
  derivation: Derivation | undefined,
  { id, location }: { readonly id: string; readonly location: string },
): Promise<Sealing> {
  if (derivation === undefined) return IN_THE_CLEAR;
  if (secret === undefined) throw failure('backup_key_missing', { location });
  if ((secret.kind === 'key') !== (derivation.kind === 'hkdf-sha256')) throw failure('backup_key_wrong', { location });
  return sealingOf(secret, derivation, id);
}

async function sealingOf(secret: Secret, derivation: Derivation, id: string): Promise<Sealing> {
  const key = await derive(secret, derivation);
  const context = (name: string) => Buffer.from(`${id}/${name}`, 'utf8');
  return {
    derivation,
    seal: (name, bytes) => {
      const nonce = randomBytes(NONCE_LENGTH);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(context(name));
      return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    },
    open: (name, sealed) => {
      if (sealed.length < NONCE_LENGTH + TAG_LENGTH) return undefined;
      const end = sealed.length - TAG_LENGTH;
      const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_LENGTH), { authTagLength: TAG_LENGTH });
      decipher.setAAD(context(name)).setAuthTag(sealed.subarray(end));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(NONCE_LENGTH, end)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}

function derive({ bytes }: Secret, derivation: Derivation): Promise<Uint8Array> {
  const salt = Buffer.from(derivation.salt, 'base64');
  if (derivation.kind === 'hkdf-sha256')
    return Promise.resolve(new Uint8Array(hkdfSync('sha256', bytes, salt, HKDF_PURPOSE, KEY_LENGTH)));
  const { N, r, p } = derivation;
  if (N * r * p > MAX_SCRYPT_WORK)
    return Promise.reject(
      failure('backup_key_invalid', { reason: `scrypt with N ${N}, r ${r} and p ${p} takes too long` }),
    );
  return new Promise((resolve, reject) => {
    scrypt(bytes, salt, KEY_LENGTH, { N, r, p, maxmem: MAX_SCRYPT_MEMORY }, (error, key) => {
      if (error === null) resolve(key);
      else reject(failure('backup_key_invalid', { reason: error.message }));
    });
  });
}

/** Shorter ones could be guessed. */
const SHORTEST_KEY = 32;
const SHORTEST_PASSPHRASE = 8;

/**
 * Reads a secret from its file. A line break at the end of a passphrase isn't part of it; a key is all bytes of its
 * file.
 * @throws TesseraError `backup_key_invalid` for one that is too short; Error of the system
 */
export function readSecret(kind: Secret['kind'], path: string): Secret {
  const bytes = readFileSync(path);
  const secret = kind === 'key' ? bytes : Buffer.from(bytes.toString('utf8').replace(/\r?\n$/, ''), 'utf8');
  const least = kind === 'key' ? SHORTEST_KEY : SHORTEST_PASSPHRASE;
  if (secret.length < least)
    throw failure('backup_key_invalid', { reason: `${path} has ${secret.length} bytes, and ${least} are the least` });
  return { kind, bytes: secret };
}
