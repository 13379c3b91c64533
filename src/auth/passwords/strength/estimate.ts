/** How many guesses a password takes, by zxcvbn: words of leaks and of English, names, keys side by side, dates. */
import { type OptionsType, ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import * as english from '@zxcvbn-ts/language-en';
import type { PasswordEstimate } from '../../../functions/calls/contract.js';

export interface StrengthRequest {
  readonly password: string;
  /** What a guesser would try for this user. */
  readonly words: readonly string[];
}

/** The answer; without an estimate for a fault of ours. */
export type StrengthAnswer = { readonly estimate: PasswordEstimate } | { readonly reason: string };

/**
 * Characters that are looked at. Twice as many take four times as long; a password that is strong up to there is strong
 * with the rest, too.
 */
const MOST_CHARACTERS = 64;

const OPTIONS: OptionsType = {
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
  translations: english.translations,
};

const zxcvbn = new ZxcvbnFactory(OPTIONS);

/** Takes up to some 300 ms. */
export function answerTo({ password, words }: StrengthRequest): StrengthAnswer {
  try {
    return { estimate: estimateOf(password, words) };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

function estimateOf(password: string, words: readonly string[]): PasswordEstimate {
  const { score, guesses, feedback } = zxcvbn.check(beginning(password), words.map(beginning));
  return { score, guesses, warning: feedback.warning ?? undefined, suggestions: feedback.suggestions };
}

function beginning(text: string): string {
  return [...text.slice(0, 2 * MOST_CHARACTERS)].slice(0, MOST_CHARACTERS).join('');
}
