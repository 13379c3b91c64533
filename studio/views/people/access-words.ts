/** The settings of an access method in words: who comes in by it, and how. */
import type { AccessMethod, TokenSettings } from './accesses.js';

export interface Sentence {
  readonly text: string;
  /** A statement that it ends with. */
  readonly statement?: string;
}

/** One sentence for each setting. */
export function describeAccess({ kind, duration, authenticate, comment }: AccessMethod): readonly Sentence[] {
  const sentences: Sentence[] = [];
  const say = (text: string, statement?: string) => {
    sentences.push({ text, ...(statement !== undefined && { statement }) });
  };
  switch (kind.kind) {
    case 'RECORD':
      say('Record users come in by it.');
      if (kind.signup === undefined) say('There is no signing up.');
      else say('Signing up runs ', kind.signup);
      if (kind.signin === undefined) say('There is no signing in with credentials.');
      else say('Signing in runs ', kind.signin);
      say(
        kind.refresh === true
          ? `A refresh token comes with each sign-in, for ${duration.grant ?? 'any time'}.`
          : 'There are no refresh tokens.',
      );
      break;
    case 'BEARER':
      say(`Keys that are granted here sign in as a ${kind.subject === 'USER' ? 'system user' : 'record'}.`);
      say(`A key lasts ${duration.grant ?? 'without end'}.`);
      break;
    case 'JWT':
      if (kind.roles === undefined) say('Tokens of other issuers sign in by it.');
      else say('System users sign in at a provider, with the roles of ', kind.roles);
  }
  for (const text of describeTokens(kind.jwt)) say(text);
  if (authenticate !== undefined) say('Each sign-in and token is checked by ', authenticate);
  if (duration.token !== undefined) say(`Tokens last ${duration.token ?? 'without end'}.`);
  say(`Sessions last ${duration.session ?? 'without end'}.`);
  if (comment !== undefined) say(comment);
  return sentences;
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
