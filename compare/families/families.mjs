// What is asked of both engines: families of generated scripts. A script is made from a seed, its family and its number alone, so that a difference is
// seen again with them. Each line of a script is a text of its own, or a directive (script.mjs).
import { definitions, permissions, schemas } from './definitions.mjs';
import { errors, parseErrors } from './errors.mjs';
import { casts, functions, operators, paths } from './expressions.mjs';
import { randomFrom } from './random.mjs';
import { control, statements } from './statements.mjs';

/** @typedef {(random: import('./random.mjs').Random, functions: readonly { name: string, parameters: readonly { type: string, optional: boolean }[] }[]) => string} Family */

/** @type {Readonly<Record<string, Family>>} */
export const FAMILIES = {
  operators,
  casts,
  paths,
  functions,
  statements,
  control,
  definitions,
  schemas,
  permissions,
  errors,
  'parse errors': parseErrors,
};

/** The number of a family's name, so that families draw different things from one seed (FNV-1a). @param {string} text */
function hashed(text) {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}

/**
 * The script `number` of a family.
 * @param {string} family
 * @param {number} seed
 * @param {number} number
 * @param {Parameters<Family>[1]} known functions with the texts of their parameters' types
 */
export function scriptOf(family, seed, number, known) {
  const make = FAMILIES[family];
  if (make === undefined) throw new Error(`There is no family '${family}', only ${Object.keys(FAMILIES).join(', ')}`);
  return make(randomFrom(hashed(`${family} ${seed} ${number}`)), known);
}
