/** Rows of CSV and JSON: how they are read, what they are stored as, and those that are refused. */
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import {
  type ColumnType,
  guessType,
  linkedTable,
  typeOfField,
} from '../../studio/views/explore/import/column-types.js';
import { defaultMappings } from '../../studio/views/explore/import/default-mappings.js';
import { type Conflict, importRows } from '../../studio/views/explore/import/import-rows.js';
import { type Delimiter, readCsv } from '../../studio/views/explore/import/read-csv.js';
import { jsonOf, readJson, readNdjson } from '../../studio/views/explore/import/read-json.js';
import { REASON, refusedFile } from '../../studio/views/explore/import/refused-rows.js';
import { fieldsOf } from '../../studio/views/explore/import/row-code.js';
import { formatOf, type SourceRow, type SourceRows } from '../../studio/views/explore/import/source-rows.js';
import { text } from '../support/arbitraries.js';
import { EmbeddedSource } from './embedded-source.js';

let source: EmbeddedSource;
beforeAll(async () => {
  source = await EmbeddedSource.open();
});

const CSV = { delimiter: '' as Delimiter, hasNames: true };
const running = { progress() {}, signal: new AbortController().signal };

interface Wanted {
  readonly types?: Readonly<Record<string, ColumnType>>;
  readonly conflict?: Conflict;
  readonly isRelation?: boolean;
  readonly keepsEmpty?: boolean;
  readonly takesNull?: boolean;
}

const mappingsOf = ({ columns, rows }: SourceRows, { types = {}, takesNull = false }: Wanted) =>
  columns.map((column) => ({
    column,
    field: column,
    type: types[column] ?? guessType(column, rows, ['person']),
    table: '',
    takesNull,
  }));

async function store(table: string, read: SourceRows, wanted: Wanted = {}) {
  const { conflict = 'refuse', isRelation = false, keepsEmpty = false } = wanted;
  const target = { table, isRelation, mappings: mappingsOf(read, wanted), conflict, cells: { keepsEmpty } };
  return importRows(source, target, read.rows, running);
}

const quoted = async (statement: string) => (await source.values(`RETURN value::quote((${statement}))`))[0];

it('reads CSV: with quotes, other delimiters, lines that are empty and names that are there already', () => {
  const read = readCsv('\ufeffid;a;a;\r\n1;"x;""y""\nz";2;3\r\n\r\n;;;\r\n2;b\r\n3;1;2;3;4\r\n', CSV);
  expect(read.columns).toEqual(['id', 'a', 'a (2)', 'column 4']);
  expect(read.rows.map(({ at, cells }) => [at, [...cells.values()]])).toEqual([
    [2, ['1', 'x;"y"\nz', '2', '3']],
    [5, ['2', 'b']],
  ]);
  expect(read.refused).toMatchObject([{ row: { at: 6 }, reason: 'It has 5 cells, for 4 columns' }]);
  expect(readCsv('a,b\n1,2\n3,"4', CSV).refused).toMatchObject([
    { row: { at: 3 }, reason: 'Quoted field unterminated' },
  ]);
  expect(readCsv('a|b\n1|2', { delimiter: ',', hasNames: false })).toMatchObject({
    columns: ['column 1'],
    rows: [{ at: 1 }, { at: 2 }],
  });
  expect(readCsv('', CSV)).toEqual({ columns: [], rows: [], refused: [] });
});

it('reads JSON and NDJSON, and refuses what is no object alone', () => {
  const read = readJson('[{"a": 1, "__proto__": {"b": [null, true]}}, 5, {"c": "x"}]');
  expect(read.columns).toEqual(['a', '__proto__', 'c']);
  expect(read.refused).toMatchObject([{ row: { at: 2 }, reason: 'It is no object' }]);
  expect(read.rows.map(({ cells }) => jsonOf(cells))).toEqual(['{"a":1,"__proto__":{"b":[null,true]}}', '{"c":"x"}']);
  const lines = readNdjson('{"a":1}\n\nnonsense\n{"a":2}\r\n');
  expect([lines.rows.map(({ at }) => at), lines.refused.map(({ row }) => row.at)]).toEqual([[1, 4], [3]]);
  expect(() => readJson('[')).toThrow(SyntaxError);
  expect(() => readJson(`${'['.repeat(200)}${']'.repeat(200)}`)).toThrow('100 deep');
  expect([' [1]', '{"a":1}\n{"a":2}', '{\n"a": 1\n}', '{"a":1}', 'a,b'].map(formatOf)).toEqual([
    'json',
    'ndjson',
    'json',
    'json',
    'csv',
  ]);
});

it('guesses types by what values look like, and takes those of fields', () => {
  const guess = (...texts: string[]) => {
    const { columns, rows } = readCsv(
      ['c,x', ...texts.map((each) => `"${each.replaceAll('"', '""')}",1`)].join('\n'),
      CSV,
    );
    return guessType(columns[0] as string, rows, ['person']);
  };
  expect(guess('1', '', '-20')).toBe('int');
  expect(guess('0012', '13')).toBe('string');
  expect(guess('1', '2.5', '1e3')).toBe('float');
  expect(guess('TRUE', 'false')).toBe('bool');
  expect(guess('2026-01-31', '2026-01-31 10:00')).toBe('datetime');
  expect(guess('018f6a3e-3c6a-7b5e-9d4b-0123456789ab')).toBe('uuid');
  expect(guess('person:ann', 'person:1')).toBe('record');
  expect(guess('http:x')).toBe('string');
  expect(guess('{"a": 1}', '[]')).toBe('json');
  expect(guess('')).toBe('string');
  const kinds = ['none | int', 'string', "'a' | 'b'", '1 | 2', 'array<int>', 'record<a | b>', 'int | string', 'any'];
  expect(kinds.map(typeOfField)).toEqual([
    'int',
    'string',
    'string',
    undefined,
    'json',
    'record',
    undefined,
    undefined,
  ]);
  expect([linkedTable('none | record<`a b`>'), linkedTable('record<a | b>'), linkedTable('int')]).toEqual([
    'a b',
    '',
    '',
  ]);
});

it('stores values with their types, and ids as they are', async () => {
  const csv = `id,n,f,d,b,at,for,u,who,j,s,empty
1,12,1.50,1.10,TRUE,2026-01-31 10:00,1h,018f6a3e-3c6a-7b5e-9d4b-0123456789ab,person:ann,"{""a"":[1,2.5]}",007,
typed:two,,,,,2026-01-31,,,,,x,`;
  const types = { d: 'decimal', for: 'duration', id: 'int' } as const;
  expect(await store('typed', readCsv(csv, CSV), { types })).toEqual({ stored: 2, skipped: 0, refused: [] });
  expect(await quoted('SELECT * FROM typed')).toBe(
    "[{ at: d'2026-01-31T10:00:00Z', b: true, d: 1.1dec, f: 1.5f, for: 1h, id: typed:1, j: { a: [1, 2.5f] }, n: 12, " +
      "s: '007', u: u'018f6a3e-3c6a-7b5e-9d4b-0123456789ab', who: person:ann }, { at: d'2026-01-31T00:00:00Z', id: typed:two, s: 'x' }]",
  );
  await store('kept', readCsv('s,n\n,1', CSV), { keepsEmpty: true, types: { s: 'string' } });
  expect(await quoted('SELECT s, n FROM kept')).toBe("[{ n: 1, s: '' }]");

  const json = '[{"id":"a","n":1,"f":1.5,"x":null,"o":{"k":[0.5,"person:1"]}},{"id":7,"s":"<b>"}]';
  await store('kinds', readJson(json), { takesNull: true, types: { id: 'asIs', s: 'asIs' } });
  expect(await quoted('SELECT * FROM kinds')).toBe(
    "[{ id: kinds:7, s: '<b>' }, { f: 1.5f, id: kinds:a, n: 1, o: { k: [0.5f, 'person:1'] }, x: NULL }]",
  );
});

it('stores any text as itself, under any name', async () => {
  const column = text.filter((name) => name.trim() === name && name !== '' && name !== 'id' && !name.includes('\0'));
  await source.values('DEFINE TABLE texts');
  await fc.assert(
    fc.asyncProperty(column, text, async (name, value) => {
      await source.values('DELETE texts');
      const row = { at: 1, cells: new Map([[name, value]]) };
      const mappings = [{ column: name, field: name, type: 'string', table: '', takesNull: false } as const];
      const target = {
        table: 'texts',
        isRelation: false,
        mappings,
        conflict: 'refuse',
        cells: { keepsEmpty: true },
      } as const;
      expect(await importRows(source, target, [row], running)).toMatchObject({ stored: 1, refused: [] });
      const [rows] = await source.values('SELECT * OMIT id FROM texts');
      expect(rows).toEqual([{ [name]: value }]);
    }),
    { numRuns: 200 },
  );
});

it('does what was chosen with rows that are there', async () => {
  const file = readCsv('id,a\n1,new\n2,new', CSV);
  await source.values('DEFINE TABLE there');
  const before = "DELETE there; CREATE there:1 SET a = 'old', b = 1f";
  for (const [conflict, outcome, after] of [
    ['refuse', [1, 0, 1], "[{ a: 'old', b: 1f, id: there:1 }, { a: 'new', id: there:2 }]"],
    ['skip', [1, 1, 0], "[{ a: 'old', b: 1f, id: there:1 }, { a: 'new', id: there:2 }]"],
    ['replace', [2, 0, 0], "[{ a: 'new', id: there:1 }, { a: 'new', id: there:2 }]"],
    ['merge', [2, 0, 0], "[{ a: 'new', b: 1f, id: there:1 }, { a: 'new', id: there:2 }]"],
  ] as const) {
    await source.values(before);
    const { stored, skipped, refused } = await store('there', file, { conflict });
    expect([conflict, stored, skipped, refused.length]).toEqual([conflict, ...outcome]);
    expect(await quoted('SELECT * FROM there')).toBe(after);
  }
  await source.values(`DEFINE TABLE knows TYPE RELATION; RELATE person:1->knows:1->person:2`);
  const edges = readCsv('id,in,out,w\n1,person:1,person:2,5\n2,person:2,person:1,6', CSV);
  for (const conflict of ['merge', 'replace', 'skip'] as const) {
    expect(await store('knows', edges, { conflict, isRelation: true })).toMatchObject({ refused: [] });
  }
  expect(await quoted('SELECT VALUE w FROM knows')).toBe('[5, 6]');
  expect(await quoted('person:2->knows->person')).toBe('[person:1]');
});

it('reports what is refused with its reason, and stores the others of the batch', async () => {
  await source.values('DEFINE TABLE strict SCHEMAFULL; DEFINE FIELD n ON strict TYPE int ASSERT $value < 1000');
  const lines = Array.from({ length: 250 }, (_, at) => (at === 7 ? 'x' : at === 120 ? '5000' : String(at)));
  const file = readCsv(['n', ...lines].join('\n'), CSV);
  const seen: number[] = [];
  const target = {
    table: 'strict',
    isRelation: false,
    conflict: 'refuse',
    cells: { keepsEmpty: false },
    mappings: [{ column: 'n', field: 'n', type: 'int', table: '', takesNull: false }],
  } as const;
  const { stored, refused } = await importRows(source, target, file.rows, {
    ...running,
    progress: (so) => seen.push(so.stored),
  });
  expect([stored, seen]).toEqual([248, [99, 198, 248]]);
  expect(refused.map(({ row, reason }) => [row.at, reason])).toEqual([
    [9, expect.stringContaining("'x'")],
    [122, expect.stringContaining('n')],
  ]);
  // A character that SurrealQL hasn't.
  const odd = readJson('[{"s":"\\ud800"},{"s":"fine"}]');
  expect(await store('odd', odd, { types: { s: 'string' } })).toMatchObject({
    stored: 1,
    refused: [{ row: { at: 1 } }],
  });
  const broken = readCsv('j\n{"a":1}\n{a}', CSV);
  expect(await store('broken', broken, { types: { j: 'json' } })).toMatchObject({
    stored: 1,
    refused: [{ row: { at: 3 } }],
  });

  const stopped = { ...running, signal: AbortSignal.abort() };
  expect(await importRows(source, target, file.rows, stopped)).toEqual({ stored: 0, skipped: 0, refused: [] });
});

it('takes a key for a link where its table is known', () => {
  const mapping = { column: 'w', field: 'w', type: 'record', table: 'a b', takesNull: false } as const;
  const code = (value: string) =>
    fieldsOf({ at: 1, cells: new Map([['w', value]]) }, 't', [mapping], { keepsEmpty: false }).get('w');
  expect([code('5'), code("x'"), code('a:1')]).toEqual([
    'type::record("a b", 5)',
    'type::record("a b", "x\'")',
    '<record> "a:1"',
  ]);
});

it('writes what was refused so that it can be put right and imported again', () => {
  const csv = readCsv('a,b\n=1,"x,y"\n1,2,3', CSV);
  const refused = [{ reason: 'so "it" is', row: csv.rows[0] as SourceRow }, ...csv.refused];
  const again = readCsv(refusedFile(refused, csv.columns, 'csv'), CSV);
  expect(again.columns).toEqual(['a', 'b', REASON]);
  expect(again.rows.map(({ cells }) => [...cells.values()])).toEqual([
    ['=1', 'x,y', 'so "it" is'],
    ['1', '2', 'It has 3 cells, for 2 columns'],
  ]);
  expect(defaultMappings(again, { fields: [], isSchemafull: false }, []).map(({ field }) => field)).toEqual([
    'a',
    'b',
    '',
  ]);
  const json = readNdjson('{"a":[1,{"b":null}]}\nnonsense');
  const lines = refusedFile([{ reason: 'r', row: json.rows[0] as SourceRow }, ...json.refused], json.columns, 'ndjson');
  expect(readNdjson(lines).rows.map(({ cells }) => jsonOf(cells))).toEqual([
    `{"a":[1,{"b":null}],"${REASON}":"r"}`,
    expect.stringContaining('{"line":"nonsense",'),
  ]);
  expect(readJson(refusedFile(json.refused, json.columns, 'json')).rows).toHaveLength(1);
});

it('maps columns to the fields that are defined', () => {
  const fields = [
    { name: 'Name', kind: 'string', isReadonly: false },
    { name: 'boss', kind: 'none | record<person>', isReadonly: false },
    { name: 'tags.*', kind: 'string', isReadonly: false },
  ];
  const read = readCsv('ID,name,boss,other\n1,2,3,4', CSV);
  const of = (isSchemafull: boolean) =>
    defaultMappings(read, { fields, isSchemafull }, []).map(({ field, type, table }) => [field, type, table]);
  expect(of(true)).toEqual([
    ['id', 'int', ''],
    ['Name', 'string', ''],
    ['boss', 'record', 'person'],
    ['', 'int', ''],
  ]);
  expect(of(false)[3]).toEqual(['other', 'int', '']);
});
