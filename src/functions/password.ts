/** `password::*`: how good a password is. */
import { createHash } from 'node:crypto';
import { failure } from '../errors/error.js';
import { objectFrom } from '../value/value.js';
import type { FunctionContext, FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { optional, text, texts } from './calls/parameters.js';
import { isCommonPassword } from './password/common-passwords.js';

/** Words that a call may name as easily guessed. */
const MOST_WORDS = 32;

export const passwordFunctions: readonly FunctionRow[] = [
  define(
    'password::breached',
    [text('password')],
    'bool',
    'Whether a password is in Have I Been Pwned, which gets five digits of its hash. Needs --allow-net.',
    isBreached,
    { deterministic: false },
  ),
  define(
    'password::common',
    [text('password')],
    'bool',
    'Whether a password is among the 10,000 most used ones. Case doesn’t count.',
    isCommonPassword,
  ),
  define(
    'password::strength',
    [text('password'), optional(texts('words'))],
    'object',
    'How strong a password is: `{ score, guesses, warning, suggestions }`. Words are easily guessed, such as a name.',
    async (password, words, context) => {
      const given = words ?? [];
      if (given.length > MOST_WORDS)
        throw failure('invalid_arguments', {
          name: 'password::strength',
          reason: `There may be ${MOST_WORDS} words, got: ${given.length}`,
        });
      const { score, guesses, warning, suggestions } = await context.passwordStrength.estimate(password, given);
      return objectFrom({ score, guesses, warning, suggestions: [...suggestions] });
    },
    { deterministic: false },
  ),
];

/** The service of ranges: the hashes that begin with five digits, whose number hides which one was looked for. */
const RANGES = 'https://api.pwnedpasswords.com/range/';
const PREFIX = 5;

/** @throws TesseraError `network_target_denied`, `network_lookup_failed`, `http_failed` */
async function isBreached(password: string, context: FunctionContext): Promise<boolean> {
  const digest = createHash('sha1').update(password, 'utf8').digest('hex').toUpperCase();
  const { status, body } = await context.network.fetch(
    // With padding, the length of the answer doesn't say which range it is.
    { url: RANGES + digest.slice(0, PREFIX), method: 'GET', headers: { 'add-padding': 'true' }, body: undefined },
    () => context.check(),
  );
  if (status !== 200) throw failure('http_failed', { reason: String(status) });
  const suffix = digest.slice(PREFIX);
  const count = new RegExp(`^${suffix}:(\\d+)\\r?$`, 'm').exec(Buffer.from(body).toString('latin1').toUpperCase())?.[1];
  // What fills the answer up has no occurrences.
  return count !== undefined && Number(count) > 0;
}
