/** All built-in functions and constants, by name. */
import { accessFunctions } from './access.js';
import { apiFunctions } from './api.js';
import { arrayFunctions } from './array.js';
import { bytesFunctions } from './bytes.js';
import type { FunctionRow } from './calls/contract.js';
import { CONSTANTS, type NamedConstant } from './constants.js';
import { coreFunctions } from './core.js';
import { cryptoFunctions } from './crypto.js';
import { durationFunctions } from './duration.js';
import { encodingFunctions } from './encoding.js';
import { fileFunctions } from './file.js';
import { geoFunctions } from './geo.js';
import { httpFunctions } from './http.js';
import { mathFunctions } from './math.js';
import { objectFunctions } from './object.js';
import { parseFunctions } from './parse.js';
import { passwordFunctions } from './password.js';
import { randFunctions } from './rand.js';
import { recordFunctions } from './record.js';
import { schemaFunctions } from './schema.js';
import { searchFunctions } from './search.js';
import { sequenceFunctions } from './sequence.js';
import { sessionFunctions } from './session.js';
import { setFunctions } from './set.js';
import { stringFunctions } from './string.js';
import { timeFunctions } from './time.js';
import { typeFunctions } from './type.js';
import { valueFunctions } from './value.js';
import { vectorFunctions } from './vector.js';

/** Every function once, family by family. */
export const FUNCTIONS: readonly FunctionRow[] = [
  ...accessFunctions,
  ...apiFunctions,
  ...arrayFunctions,
  ...bytesFunctions,
  ...coreFunctions,
  ...cryptoFunctions,
  ...durationFunctions,
  ...encodingFunctions,
  ...fileFunctions,
  ...geoFunctions,
  ...httpFunctions,
  ...mathFunctions,
  ...objectFunctions,
  ...parseFunctions,
  ...passwordFunctions,
  ...randFunctions,
  ...recordFunctions,
  ...sequenceFunctions,
  ...schemaFunctions,
  ...searchFunctions,
  ...sessionFunctions,
  ...setFunctions,
  ...stringFunctions,
  ...timeFunctions,
  ...typeFunctions,
  ...valueFunctions,
  ...vectorFunctions,
];

const byName = new Map<string, FunctionRow>(
  FUNCTIONS.flatMap((row) => [row.name, ...(row.aliases ?? [])].map((name): [string, FunctionRow] => [name, row])),
);
const constants = new Map<string, NamedConstant>(CONSTANTS.map((constant) => [constant.name, constant]));

/** The function of a lower-case path, which may be one of its older names. */
export function findFunction(path: string): FunctionRow | undefined {
  return byName.get(path);
}

/** The constant of a path in any case. */
export function findConstant(name: string): NamedConstant | undefined {
  return constants.get(name.toLowerCase());
}
