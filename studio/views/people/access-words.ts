/** The settings of an access method in words: who comes in by it, and how. */
import type { AccessMethod, TokenSettings } from './accesses.js';

/** One sentence for each setting. */
export function describeAccess({ kind, duration, authenticate, comment }: AccessMethod): readonly string[] {
  const words: string[] = [];
  switch (kind.kind) {
    case 'RECORD':
      words.push('Record users come in by it.');
      words.push(kind.signup === undefined ? 'There is no signing up.' : `Signing up runs ${kind.signup}`);
      words.push(
        kind.signin === undefined ? 'There is no signing in with credentials.' : `Signing in runs ${kind.signin}`,
      );
      words.push(
        kind.refresh === true
          ? `A refresh token comes with each sign-in, for ${duration.grant ?? 'any time'}.`
          : 'There are no refresh tokens.',
      );
      break;
    case 'BEARER':
      words.push(`Keys that are granted here sign in as a ${kind.subject === 'USER' ? 'system user' : 'record'}.`);
      words.push(`A key lasts ${duration.grant ?? 'without end'}.`);
      break;
    case 'JWT':
      words.push('Tokens of other issuers sign in by it.');
  }
  words.push(...describeTokens(kind.jwt));
  if (authenticate !== undefined) words.push(`Each sign-in and token is checked by ${authenticate}`);
  if (duration.token !== undefined) words.push(`Tokens last ${duration.token ?? 'without end'}.`);
  words.push(`Sessions last ${duration.session ?? 'without end'}.`);
  if (comment !== undefined) words.push(comment);
  return words;
}

function describeTokens({ verify, require: required }: TokenSettings): readonly string[] {
  const words = [
    verify.url === undefined
      ? `Tokens are verified with ${verify.alg ?? 'a key'}; its key isn’t shown.`
      : `Tokens are verified with the keys at ${verify.url}`,
  ];
  if (required !== undefined && required.issuer.length > 0) {
    words.push(`They have to be issued by ${required.issuer.join(' or ')}.`);
  }
  if (required !== undefined && required.audience.length > 0) {
    words.push(`They have to be meant for ${required.audience.join(' or ')}.`);
  }
  return words;
}
