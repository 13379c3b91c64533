/** What functions give is of the types that their tables say, and that are inferred of their arguments. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Tessera, TesseraError, toText } from '../../src/embedded/index.js';
import type { FunctionRow } from '../../src/functions/calls/contract.js';
import { FUNCTIONS } from '../../src/functions/registry.js';
import { expressionType } from '../../src/inference/expressions.js';
import { resultOf } from '../../src/inference/function-results.js';
import { RecordTypes } from '../../src/inference/record-types.js';
import { allOf } from '../../src/inference/schema.js';
import { Inference } from '../../src/inference/scope.js';
import { statementType } from '../../src/inference/statements.js';
import { ANY, typeOfValue } from '../../src/inference/types.js';
import { typeText } from '../../src/value/text/type-text.js';
import type { Type } from '../../src/value/type.js';
import type { Value } from '../../src/value/value.js';
import { closeValue, ofKind } from '../support/arbitraries.js';
import { conforms } from './conforms.js';

/** Functions of the world outside, and those that take long on purpose. */
const OTHERS =
  /^(sleep|http|file|api|search|session|sequence|access|crypto::(argon2|bcrypt|pbkdf2|scrypt|hash)|password)/;

const schema = { tables: [], functions: [], params: [] };
const records = new RecordTypes(allOf(schema), { computed: () => ANY, view: () => ANY });
const scope = new Inference(schema, records, { expression: expressionType, statement: statementType }).scope();

/** Texts that some functions read. */
const WELL_FORMED = ['http://a.example:80/b?c=1#d', 'ann@a.example', '1.2.3', '2020-01-01T00:00:00Z', '{}', 'aGk', '5'];

function argumentOf(type: Type): fc.Arbitrary<Value> {
  if (type.kind === 'any') return closeValue;
  if (type.kind === 'union') return fc.oneof(...type.of.map(argumentOf));
  if (type.kind === 'number') return fc.oneof(ofKind.int, ofKind.float, ofKind.decimal);
  if (type.kind === 'string') return fc.oneof(ofKind.string, fc.constantFrom(...WELL_FORMED));
  if (type.kind === 'int') return fc.integer({ min: -5, max: 20 });
  if (type.kind === 'array')
    return type.item === undefined ? ofKind.array : fc.array(argumentOf(type.item), { maxLength: 4 });
  if (type.kind === 'literal' || type.kind === 'tuple')
    throw new TypeError(`no parameter is of type ${typeText(type)}`);
  return ofKind[type.kind];
}

function argumentsOf({ parameters }: FunctionRow): fc.Arbitrary<Value[]> {
  const lists = parameters.map(({ type, rest, optional }) =>
    fc.array(argumentOf(type), { minLength: rest || optional ? 0 : 1, maxLength: rest ? 3 : 1 }),
  );
  return fc.tuple(...lists).map((all) => all.flat(1) as Value[]);
}

let db: Tessera;
beforeAll(async () => {
  db = await Tessera.open('memory');
  await db.use('test', 'test');
});
afterAll(() => db.close());

const RUNS = 12;

const short = (values: readonly Value[]): string => values.map((value) => toText(value).slice(0, 80)).join(', ');

it('every function gives what is said', async () => {
  const wrong: string[] = [];
  for (const row of FUNCTIONS.filter(({ name }) => !OTHERS.test(name))) {
    for (const args of fc.sample(argumentsOf(row), RUNS)) {
      const names = args.map((_, at) => `$a${at}`);
      const variables = Object.fromEntries(args.map((value, at) => [`a${at}`, value]));
      const answer = await db.query(`RETURN ${row.name}(${names.join(', ')})`, variables).catch((error: unknown) => {
        if (!(error instanceof TesseraError)) throw error;
      });
      const type = resultOf(
        row,
        args.map((value) => ({ type: typeOfValue(value) })),
        scope,
      );
      if (answer !== undefined && !conforms(answer[0], type))
        wrong.push(`${row.name}(${short(args)}) = ${short(answer)}, not ${typeText(type)}`);
    }
  }
  expect(wrong).toEqual([]);
});
