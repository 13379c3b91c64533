/** The mails of a recipe: records of the table `mail`, as its page defines it. */
import { expect } from 'vitest';
import type { Recipe } from './recipe.js';

export interface SentMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly code?: string;
  readonly link?: string;
  readonly kind: string;
}

/** The mails to an address, the latest last. */
export async function mailsTo(recipe: Recipe, address: string): Promise<readonly SentMail[]> {
  const [mails] = await recipe.sql(`SELECT * FROM mail WHERE to = '${address}' ORDER BY at`);
  return mails as SentMail[];
}

/** The next mail to an address, after those that it has got so far. */
export async function nextMail(recipe: Recipe, address: string, before = 0): Promise<SentMail> {
  await expect.poll(async () => (await mailsTo(recipe, address)).length).toBe(before + 1);
  return (await mailsTo(recipe, address)).at(-1) as SentMail;
}
