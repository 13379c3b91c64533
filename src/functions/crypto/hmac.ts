/** Message authentication codes (RFC 2104), as servers sign their webhooks with. */
import { createHmac, type Hmac, timingSafeEqual } from 'node:crypto';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { andThen, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import type { FunctionRow } from '../calls/contract.js';
import { define } from '../calls/define.js';
import { IN_PIECES } from '../calls/input-limit.js';
import { text, textOrBytes } from '../calls/parameters.js';
import { forEachPiece } from '../string/text-pieces.js';

function codes(hash: 'sha256' | 'sha512', title: string): FunctionRow {
  return define(
    `crypto::hmac::${hash}`,
    [textOrBytes('key'), textOrBytes('message')],
    'string',
    `The HMAC of a message by ${title}, in hexadecimal. Key and message are texts or bytes.`,
    (secret, content, context) => {
      const hmac = createHmac(hash, secret);
      const updated =
        typeof content === 'string'
          ? forEachPiece(content, context, (piece) => {
              hmac.update(utf8ToBytes(piece));
            })
          : updateWith(hmac, content, context);
      return andThen(updated, () => hmac.digest('hex'));
    },
    IN_PIECES,
  );
}

/** Bytes that are hashed in one step. */
const STEP = 2 ** 20;

function updateWith(hmac: Hmac, bytes: Uint8Array, work: Work): PromiseOrValue<void> {
  let from = 0;
  return untilTrue(() => {
    hmac.update(bytes.subarray(from, from + STEP));
    from += STEP;
    return from >= bytes.length || andThen(work.checkpoint(), () => false);
  });
}

export const hmacFunctions: readonly FunctionRow[] = [
  codes('sha256', 'SHA-256'),
  codes('sha512', 'SHA-512'),
  define(
    'crypto::hmac::compare',
    [text('expected'), text('given')],
    'bool',
    'Whether two codes are equal, in a time that doesn’t depend on where they differ. Case matters.',
    (expected, given) => {
      const [a, b] = [utf8ToBytes(expected), utf8ToBytes(given)];
      return a.length === b.length && timingSafeEqual(a, b);
    },
  ),
];
