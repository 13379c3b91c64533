/**
 * Hashes in the PHC string format, `$id$name=number,…$salt$hash`, as PBKDF2 and scrypt are stored
 * (https://github.com/P-H-C/phc-string-format). Salt and hash are base64 without padding.
 */
export interface PhcHash<P extends string> {
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
export function printPhc(
  id: string,
  parameters: Readonly<Record<string, number>>,
  salt: Uint8Array,
  hash: Uint8Array,
): string {
  const pairs = Object.entries(parameters).map(([name, number]) => `${name}=${number}`);
  return `$${id}$${pairs.join(',')}$${base64(salt)}$${base64(hash)}`;
}

/** Reads a hash that has exactly the parameters `names`, in any order; `undefined` for every other text. */
export function parsePhc<P extends string>(text: string, names: readonly P[]): PhcHash<P> | undefined {
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
