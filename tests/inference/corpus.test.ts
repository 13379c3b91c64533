/**
 * Statements with the types that are inferred of them (`corpus/`), and that the real answers have these types.
 *
 * `npx vitest run tests/inference/corpus -u` writes what is inferred into the corpus; read each line of it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { Tessera, TesseraError, toText } from '../../src/embedded/index.js';
import { DatabaseTypes, type InferredQuery } from '../../src/inference/infer.js';
import { allOf } from '../../src/inference/schema.js';
import { parseQueryPlaced } from '../../src/language/parse.js';
import { positionOf } from '../../src/language/source-error.js';
import { typeText } from '../../src/value/text/type-text.js';
import type { Type } from '../../src/value/type.js';
import { conforms } from './conforms.js';
import { generatedRows } from './generated-rows.js';
import { schemaOf } from './schema-of.js';

const FOLDER = join(import.meta.dirname, 'corpus');
const SCHEMA = readFileSync(join(FOLDER, 'schema.surql'), 'utf8');
const schema = schemaOf(SCHEMA);
const types = new DatabaseTypes(allOf(schema));

/** Records as the name of their table, so that results can be read. */
function nameOf(type: Type): string | undefined {
  for (const { name } of schema.tables) {
    if (type === types.records.record(name)) return `«${name}»`;
    if (type === types.records.input(name, 'create')) return `«new ${name}»`;
    if (type === types.records.input(name, 'update')) return `«changes of ${name}»`;
  }
  return undefined;
}

function textOf(type: Type): string {
  const name = nameOf(type);
  if (name !== undefined) return name;
  if (type.kind === 'union') return type.of.length === 0 ? 'never' : type.of.map(textOf).join(' | ');
  if (type.kind === 'array' && type.item !== undefined) return `array<${textOf(type.item)}>`;
  if (type.kind === 'tuple') return `[${type.items.map(textOf).join(', ')}]`;
  if (type.kind !== 'object' || type.fields === undefined) return typeText(type);
  const fields = type.fields.map(([field, inner]) => `${field}: ${textOf(inner)}`);
  return `{ ${[...fields, ...(type.open ? ['…'] : [])].join(', ')} }`;
}

function casesIn(file: string): string[] {
  const lines = readFileSync(join(FOLDER, file), 'utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('--'));
}

function infer(source: string): InferredQuery & { readonly lines: string } {
  const { query, offsets } = parseQueryPlaced(source);
  const inferred = types.infer(query);
  const lines = [
    source,
    `--> ${inferred.results.map(textOf).join(' ; ')}`,
    ...[...inferred.parameters].map(([name, type]) => `--$ ${name}: ${textOf(type)}`),
    ...inferred.faults.map(({ message, at }) => {
      const { line, column } = positionOf({ source }, offsets.get(at) ?? -1);
      return `--! ${line}:${column} ${message}`;
    }),
  ];
  return { ...inferred, lines: `${lines.join('\n')}\n` };
}

/** Those that run as they are. */
const ANSWERED = ['select.surql', 'expressions.surql', 'writes.surql'];
const FILES = ['select', 'expressions', 'writes', 'parameters', 'faults'].map((name) => `${name}.surql`);

it.each(FILES)('infers what %s says', async (file) => {
  const text = casesIn(file).map((source) => infer(source).lines);
  await expect(text.join('\n')).toMatchFileSnapshot(join(FOLDER, file));
});

describe.each([
  ['no records', ''],
  [
    'records with nothing in what is optional',
    `CREATE person:ann SET name = 'Ann', age = 40; CREATE person:bob SET name = 'Bob', age = 7;
     CREATE post:one SET title = 'One', author = person:ann; RELATE person:ann->wrote->post:one; CREATE note SET text = 'x'`,
  ],
  [
    'records with everything, and links that lead nowhere',
    `CREATE person:ann SET name = 'Ann', nick = 'A', age = 40, born = d'1990-01-01T00:00:00Z', tags = ['a', 'b', 'a'],
       address = { city: 'Rome', zip: 5 }, phones = [{ number: '1' }, { number: '2' }], boss = person:bob,
       friends = [person:bob, person:gone], skills = {'x', 'y'}, role = 'writer';
     CREATE person:bob SET name = 'Bob', age = 17, boss = person:gone, address = { city: 'Oslo' }, friends = [person:ann];
     CREATE post:one SET title = 'One', author = person:ann, price = 2.25dec, words = 10;
     CREATE post:two SET title = 'Two', author = person:gone;
     RELATE person:ann->wrote->post:one SET share = 0.7; RELATE person:bob->wrote->post:one SET share = 0.3;
     RELATE person:ann->wrote->post:two; CREATE note SET text = 'x', other = { foo: 1 }; CREATE note SET text = 'y', other = 5`,
  ],
])('with %s', (_, rows) => {
  let db: Tessera;
  beforeAll(async () => {
    db = await Tessera.open('memory');
    await db.use('test', 'test');
    await db.query(SCHEMA);
    if (rows !== '') await db.query(rows);
    return () => db.close();
  });

  it.each(ANSWERED)('answers are of the types that %s says', async (file) => {
    expect(await wrongAnswers(db, file)).toEqual([]);
  });
});

it('answers from generated records are of the inferred types', async () => {
  let created = 0;
  for (const rows of fc.sample(generatedRows(types.records, ['person', 'post', 'wrote', 'note']), 10)) {
    const db = await Tessera.open('memory');
    await db.use('test', 'test');
    await db.query(SCHEMA);
    for (const row of rows) {
      const [made] = (await db.query('CREATE $row.id CONTENT $row', { row }).catch(failed)) ?? [];
      if (made !== undefined) created++;
    }
    for (const file of ANSWERED) expect([rows, await wrongAnswers(db, file)]).toEqual([rows, []]);
    await db.close();
  }
  expect(created).toBeGreaterThan(10);
});

/** The statements of a file whose answers aren't of the inferred types. */
async function wrongAnswers(db: Tessera, file: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const source of casesIn(file)) {
    const { results } = infer(source);
    const values = await db.query(source).catch(failed);
    for (const [at, value] of (values ?? []).entries()) {
      const type = results[at] as Type;
      if (!conforms(value, type)) wrong.push(`${source}\n  ${toText(value)}\n  is not ${textOf(type)}`);
    }
  }
  return wrong;
}

/** A statement may fail: then it has no answer. */
function failed(error: unknown): undefined {
  if (!(error instanceof TesseraError)) throw error;
}
