import { validateSchema } from 'graphql';
import { beforeEach, describe, expect, it } from 'vitest';
import { buildSchema } from '../../src/graphql/api.js';
import { catalogOf } from '../support/catalog-of.js';
import { type Answer, openStack, type Stack } from './stack.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE person SCHEMAFULL;
  DEFINE FIELD name ON person TYPE string ASSERT $value != '';
  DEFINE FIELD age ON person TYPE option<int>;
  DEFINE FIELD vip ON person TYPE bool DEFAULT false;
  DEFINE FIELD mood ON person TYPE option<'good' | 'so-so'>;
  DEFINE FIELD tags ON person TYPE set<string> DEFAULT {,};
  DEFINE FIELD address ON person TYPE option<object>;
  DEFINE FIELD address.city ON person TYPE option<string>;
  DEFINE FIELD address.street ON person TYPE option<string>;
  DEFINE FIELD email ON person TYPE option<string>;
  DEFINE INDEX email ON person FIELDS email UNIQUE;
  DEFINE FIELD best ON person TYPE option<record<person>>;
  DEFINE FIELD friends ON person TYPE array<record<person>> DEFAULT [];
  DEFINE FIELD owns ON person TYPE option<record<cat | book>>;
  DEFINE FIELD note ON person TYPE string | null | none;
  DEFINE FIELD born ON person TYPE option<datetime>;
  DEFINE FIELD since ON person TYPE int DEFAULT 1 READONLY;
  DEFINE FIELD loud ON person COMPUTED string::uppercase(name);
  DEFINE TABLE cat; DEFINE FIELD lives ON cat TYPE int DEFAULT 9;
  DEFINE TABLE book SCHEMAFULL; DEFINE FIELD title ON book TYPE string;
  DEFINE FIELD author ON book TYPE record<person>;
  DEFINE TABLE wrote TYPE RELATION FROM person TO cat; DEFINE FIELD year ON wrote TYPE int;
  DEFINE TABLE bare;
  DEFINE TABLE named SCHEMAFULL; DEFINE FIELD id ON named TYPE string; DEFINE FIELD link ON named TYPE option<record<named>>;
  CREATE person:ann SET name = 'Ann', age = 20, email = 'a@b', address = { city: 'Rome', street: 'Via' };
  CREATE person:bob SET name = 'Bob', age = 30;`;

let stack: Stack;
beforeEach(async () => {
  stack = await openStack(SETUP);
});

/** The only field of an answer without errors. */
async function given(query: string, variables?: object): Promise<unknown> {
  const { data, errors } = await stack.ask(query, variables);
  expect(errors).toBeUndefined();
  return Object.values(data ?? {})[0];
}

async function refusal(
  query: string,
  variables?: object,
): Promise<readonly [code: string | undefined, message: string | undefined]> {
  const { errors, data } = await stack.ask(query, variables);
  expect(Object.values(data ?? {}).every((value) => value === null)).toBe(true);
  const [error] = errors ?? [];
  return [error?.extensions.code, error?.message] as const;
}

async function stored(text: string): Promise<unknown> {
  const [result] = await stack.owner.query(text);
  return result?.outcome.ok === true ? JSON.parse(JSON.stringify(result.outcome.value)) : result?.outcome;
}

const count = (table: string) => stored(`RETURN count(SELECT * FROM ${table})`);

describe('create', () => {
  it('gives the record with its links, and its defaults', async () => {
    expect(
      await given(`mutation { createPerson(data: {
        id: "cy", name: "Cy", best: "ann", friends: ["person:bob", "ann"], tags: ["b", "a", "b"], mood: so_so, address: {city: "Oslo"},
        owns: "cat:tom", born: "2000-01-02T03:04:05Z"
      }) { id name loud vip since tags mood address { city street } best { name } friends { name } owns { __typename } born } }`),
    ).toEqual({
      id: 'person:cy',
      name: 'Cy',
      loud: 'CY',
      vip: false,
      since: 1,
      tags: ['a', 'b'],
      mood: 'so_so',
      address: { city: 'Oslo', street: null },
      best: { name: 'Ann' },
      friends: [{ name: 'Bob' }, { name: 'Ann' }],
      owns: null,
      born: '2000-01-02T03:04:05Z',
    });
    expect(await stored('RETURN <string> person:cy.owns')).toBe('cat:tom');
  });

  it('takes variables, and a drawn id for each run of a static document', async () => {
    const document = 'mutation { createPerson(data: {name: "X", best_create: {name: "Y"}}) { id best { id } } }';
    const [first, second] = [await given(document), await given(document)] as { id: string }[];
    expect(first?.id).not.toBe(second?.id);
    const variables = { data: { name: 'V', age: 5 } };
    expect(
      await given('mutation ($data: CreatePersonInput!) { createPerson(data: $data) { name age } }', variables),
    ).toEqual(variables.data);
  });

  it('keeps null as NULL or NONE, as the type admits', async () => {
    await given('mutation { createPerson(data: {id: "n", name: "N", age: null, note: null}) { id } }');
    expect(await stored('RETURN [person:n.age = NONE, person:n.note = NULL, person:n.email = NONE]')).toEqual([
      true,
      true,
      true,
    ]);
  });

  it.each([
    ['{name: ""}', 'field_assert', "Found '' for field `name`"],
    ['{name: "Z", email: "a@b"}', 'index_violation', 'Database index `email` already contains'],
    ['{id: "ann", name: "Z"}', 'record_exists', 'Database record `person:ann` already exists'],
    ['{name: "Z", best: "cat:tom"}', 'graphql_argument', '"cat:tom" is not the id of a record that may stand here'],
    ['{name: "Z", owns: "tom"}', 'graphql_argument', '"tom" is not the id of a record that may stand here'],
    ['{name: "Z", owns: "person:ann"}', 'graphql_argument', '"person:ann" is not the id of a record'],
    ['{id: "cat:x", name: "Z"}', 'graphql_argument', '"cat:x" is not the id of a record that may stand here'],
    ['{id: "", name: "Z"}', 'graphql_argument', '"" is not the id of a record that may stand here'],
    ['{name: "Z", best: "ann", best_create: {name: "Q"}}', 'graphql_argument', 'Give either best or a record'],
    ['{name: "Z", wrote: [{year: 1}]}', 'graphql_argument', 'An edge needs either out or out_create'],
    ['{age: 1}', 'graphql_invalid', 'Field "CreatePersonInput.name" of required type "String!" was not provided.'],
    ['{name: "Z", loud: "x"}', 'graphql_invalid', 'Field "loud" is not defined by type "CreatePersonInput".'],
  ])('refuses %s', async (data, code, message) => {
    const [found, text] = await refusal(`mutation { createPerson(data: ${data}) { id } }`);
    expect([found, text?.slice(0, message.length)]).toEqual([code, message]);
    expect(await count('person')).toBe(2);
  });

  it('takes values of every kind, in literals and variables', async () => {
    await stack.owner.query(`DEFINE TABLE all;
      DEFINE FIELD a ON all TYPE any; DEFINE FIELD b ON all TYPE bytes; DEFINE FIELD d ON all TYPE decimal; DEFINE FIELD f ON all TYPE float;
      DEFINE FIELD g ON all TYPE geometry<point>; DEFINE FIELD i ON all TYPE int; DEFINE FIELD l ON all TYPE array<option<int>>;
      DEFINE FIELD n ON all TYPE int | float; DEFINE FIELD o ON all TYPE object; DEFINE FIELD r ON all TYPE record; DEFINE FIELD s ON all TYPE set<record<cat>>;
      DEFINE FIELD t ON all TYPE duration; DEFINE FIELD u ON all TYPE uuid; DEFINE FIELD x ON all TYPE array<object>; DEFINE FIELD x.*.y ON all TYPE int;`);
    const data = {
      a: { deep: [1, null] },
      b: 'AQI=',
      d: '1.25',
      f: 2,
      g: { type: 'Point', coordinates: [1, 2] },
      i: 9_007_199_254_740_991,
      l: [1, null],
      n: 3,
      o: { k: true },
      t: '1h30m',
      u: '0192a0b0-1111-7222-8333-444455556666',
      x: [{ y: 1 }],
    };
    const fields = '{ a b d f g { coordinates } i l n o r { id } s { id } t u x { y } }';
    const shown = { ...data, g: { coordinates: [1, 2] }, r: { id: 'person:ann' }, s: [null] };
    expect(
      await given(`mutation ($data: CreateAllInput!) { createAll(data: $data) ${fields} }`, {
        data: { ...data, r: 'person:ann', s: ['tom', 'cat:tom'] },
      }),
    ).toEqual(shown);
    const literal = JSON.stringify({ ...data, r: 'person:ann', s: ['tom', 'cat:tom'] }).replace(/"(\w+)":/g, '$1:');
    expect(await given(`mutation { createAll(data: ${literal}) ${fields} }`)).toEqual(shown);
  });

  it('reads keys as a query does, unless the ids of the table are texts', async () => {
    expect(await given('mutation { createCat(data: {id: "1"}) { id } }')).toEqual({ id: 'cat:1' });
    expect(await given('mutation { createNamed(data: {id: "1", link: "2"}) { id } }')).toEqual({ id: 'named:`1`' });
    expect(await stored('RETURN <string> named:⟨1⟩.link')).toBe('named:`2`');
    expect(await given('mutation { updateCat(id: "1", data: {lives: 3}) { lives } }')).toEqual({ lives: 3 });
    await stored('CREATE cat:⟨7⟩ SET lives = 7');
    expect(await given('mutation { updateCat(id: "7", data: {lives: 4}) { id lives } }')).toEqual({
      id: 'cat:`7`',
      lives: 4,
    });
  });

  it('makes many, all or none', async () => {
    expect(
      await given(
        'mutation { createManyPerson(data: [{name: "P"}, {id: "q", name: "Q", best: "ann"}]) { name best { name } } }',
      ),
    ).toEqual([
      { name: 'P', best: null },
      { name: 'Q', best: { name: 'Ann' } },
    ]);
    expect(
      await given(`mutation { createManyPerson(data: [{name: "S", wrote: [{year: 1, out_create: {lives: 2}}]}, {name: "T"}]) {
        name wrote { year out { lives } } } }`),
    ).toEqual([
      { name: 'S', wrote: [{ year: 1, out: { lives: 2 } }] },
      { name: 'T', wrote: [] },
    ]);
    const [code] = await refusal('mutation { createManyPerson(data: [{name: "R"}, {name: ""}]) { name } }');
    expect(code).toBe('field_assert');
    expect(await count('person')).toBe(6);
    expect(await given('mutation { createManyPerson(data: []) { name } }')).toEqual([]);
  });
});

describe('nested records', () => {
  it('are created with what links to them', async () => {
    expect(
      await given(`mutation { createPerson(data: {
        name: "Cy", best_create: {name: "Di", best: "ann"}, friends: ["bob"], friends_create: [{name: "Ed"}, {name: "Flo"}],
        wrote: [{year: 1, out_create: {lives: 1}}, {year: 2, out: "tom", id: "e"}]
      }) { name best { name best { name } } friends { name } wrote(order: {asc: year}) { id year in { name } out { lives } } } }`),
    ).toMatchObject({
      name: 'Cy',
      best: { name: 'Di', best: { name: 'Ann' } },
      friends: [{ name: 'Bob' }, { name: 'Ed' }, { name: 'Flo' }],
      wrote: [
        { year: 1, in: { name: 'Cy' }, out: { lives: 1 } },
        { id: 'wrote:e', year: 2, in: { name: 'Cy' }, out: null },
      ],
    });
    expect(await count('person')).toBe(6);
  });

  it('may be at the other end of an edge', async () => {
    expect(
      await given(`mutation { createCat(data: {wrote_incoming: [{year: 3, in_create: {name: "Gus"}}, {year: 4, in: "ann"}]}) {
        wrote_incoming(order: {asc: year}) { year in { name } } } }`),
    ).toEqual({
      wrote_incoming: [
        { year: 3, in: { name: 'Gus' } },
        { year: 4, in: { name: 'Ann' } },
      ],
    });
  });

  it('represent a link that must exist', async () => {
    expect(
      await given(
        'mutation { createBook(data: {title: "T", author_create: {name: "Hal"}}) { title author { name } } }',
      ),
    ).toEqual({ title: 'T', author: { name: 'Hal' } });
    expect((await refusal('mutation { createBook(data: {title: "T"}) { title } }'))[0]).toBe('field_coercion');
  });

  it('leave nothing when one of them fails', async () => {
    for (const data of [
      '{name: "Cy", best_create: {name: "Di", friends_create: [{name: ""}]}}',
      '{name: "", best_create: {name: "Di"}}',
      '{name: "Cy", best_create: {id: "ann", name: "Di"}}',
      '{name: "Cy", best_create: {name: "Di"}, wrote: [{year: 1, out_create: {lives: 1}, id: "x"}, {year: 2, out: "cat:t", id: "x"}]}',
    ]) {
      await refusal(`mutation { createPerson(data: ${data}) { id } }`);
    }
    expect([await count('person'), await count('cat'), await count('wrote')]).toEqual([2, 0, 0]);
  });

  it('are part of updates, but not without a record to be updated', async () => {
    expect(
      await given('mutation { updatePerson(id: "ann", data: {best_create: {name: "New"}}) { best { name } } }'),
    ).toEqual({ best: { name: 'New' } });
    expect(await refusal('mutation { updatePerson(id: "nobody", data: {best_create: {name: "New"}}) { id } }')).toEqual(
      [
        'graphql_unchanged',
        'There is no record to be changed, so that those which were to be created with it were not',
      ],
    );
    expect(await count('person')).toBe(3);
  });
});

describe('update, merge and upsert', () => {
  it('set what is given; update replaces objects, merge goes into them', async () => {
    const fields = '{ name age email address { city street } }';
    expect(await given(`mutation { mergePerson(id: "ann", data: {address: {city: "Oslo"}}) ${fields} }`)).toEqual({
      name: 'Ann',
      age: 20,
      email: 'a@b',
      address: { city: 'Oslo', street: 'Via' },
    });
    expect(
      await given(`mutation { updatePerson(id: "person:ann", data: {age: null, address: {city: "Bonn"}}) ${fields} }`),
    ).toEqual({ name: 'Ann', age: null, email: 'a@b', address: { city: 'Bonn', street: null } });
    expect(await given('mutation { updatePerson(id: "ann", data: {}) { name } }')).toEqual({ name: 'Ann' });
    expect(await given('mutation { updatePerson(id: "none", data: {age: 1}) { name } }')).toBeNull();
  });

  it('upsert creates what is not there', async () => {
    expect(await given('mutation { upsertPerson(id: "ann", data: {name: "Anna"}) { id name age } }')).toEqual({
      id: 'person:ann',
      name: 'Anna',
      age: 20,
    });
    expect(
      await given(`mutation { upsertManyPerson(data: [
        {id: "ann", name: "A", age: 1}, {id: "cy", name: "C"}, {id: "di", name: "D", best_create: {name: "E"}}
      ]) { id name age vip best { name } } }`),
    ).toEqual([
      { id: 'person:ann', name: 'A', age: 1, vip: false, best: null },
      { id: 'person:cy', name: 'C', age: null, vip: false, best: null },
      { id: 'person:di', name: 'D', age: null, vip: false, best: { name: 'E' } },
    ]);
    expect((await refusal('mutation { upsertPerson(id: "ann", data: {id: "bob", name: "X"}) { id } }'))[1]).toBe(
      'The id in the data is that of another record',
    );
    expect((await refusal('mutation { upsertManyPerson(data: [{name: "X"}]) { id } }'))[1]).toBe(
      'Each record that is upserted needs its id',
    );
  });

  it('many, by a filter that must be given', async () => {
    const update = (args: string) => `mutation { updateManyPerson(${args}, data: {vip: true}) { name vip } }`;
    expect((await refusal('mutation { updateManyPerson(data: {vip: true}) { name } }'))[1]).toBe(
      'Say in filter which records are meant; {} is all of them',
    );
    expect((await refusal('mutation { deleteManyPerson(filter: null) { name } }'))[0]).toBe('graphql_argument');
    expect(await given(update('filter: {age: {gt: 25}}'))).toEqual([{ name: 'Bob', vip: true }]);
    expect(await given(update('filter: {age: {gt: 15}}, where: {name: {eq: "Ann"}}'))).toEqual([
      { name: 'Ann', vip: true },
    ]);
    expect(await given(update('filter: {}, limit: 1'))).toHaveLength(1);
    expect(await given(update('filter: {}'))).toHaveLength(2);
    expect(
      await given(
        'mutation { mergeManyPerson(filter: {name: {eq: "Ann"}}, data: {address: {city: "X"}}) { address { city street } } }',
      ),
    ).toEqual([{ address: { city: 'X', street: 'Via' } }]);
  });
});

describe('delete', () => {
  it('gives the record as it was', async () => {
    await stored('UPDATE person:ann SET best = person:bob');
    expect(await given('mutation { deletePerson(id: "ann") { id name loud best { name } wrote { id } } }')).toEqual({
      id: 'person:ann',
      name: 'Ann',
      loud: 'ANN',
      best: { name: 'Bob' },
      wrote: [],
    });
    expect(await given('mutation { deletePerson(id: "ann") { id } }')).toBeNull();
    expect(await given('mutation { deleteManyPerson(where: {name: {eq: "Bob"}}) { name } }')).toEqual([
      { name: 'Bob' },
    ]);
    expect(await count('person')).toBe(0);
  });
});

describe('relate', () => {
  it('makes an edge, whose ends stay', async () => {
    expect(
      await given('mutation { relateWrote(in: "ann", out: "cat:tom", data: {year: 5}) { id year in { name } } }'),
    ).toMatchObject({ year: 5, in: { name: 'Ann' } });
    expect(await given('mutation { updateManyWrote(filter: {}, data: {year: 6}) { year in { name } } }')).toEqual([
      { year: 6, in: { name: 'Ann' } },
    ]);
    expect((await refusal('mutation { relateWrote(in: "cat:tom", out: "tom", data: {year: 5}) { id } }'))[0]).toBe(
      'graphql_argument',
    );
    expect((await refusal('mutation { updateWrote(id: "x", data: {in: "person:bob"}) { id } }'))[0]).toBe(
      'graphql_invalid',
    );
  });
});

describe('root fields', () => {
  it('run one after the other, and fail alone', async () => {
    const { data, errors }: Answer = await stack.ask(`mutation {
      a: createPerson(data: {id: "x", name: "X"}) { name }
      b: createPerson(data: {id: "y", name: ""}) { name }
      c: updatePerson(id: "x", data: {age: 7}) { name age }
    }`);
    expect(data).toEqual({ a: { name: 'X' }, b: null, c: { name: 'X', age: 7 } });
    expect(errors).toMatchObject([{ path: ['b'], extensions: { code: 'field_assert' } }]);
  });
});

describe('the schema', () => {
  it('is valid, without empty inputs and without inputs for what is not written', async () => {
    const results = await stack.owner.query(`
      DEFINE TABLE seen AS SELECT name FROM person; DEFINE FIELD name ON seen TYPE string;
      DEFINE TABLE edge TYPE RELATION;
      DEFINE TABLE fixed; DEFINE FIELD at ON fixed TYPE int READONLY; DEFINE FIELD o ON fixed TYPE object; DEFINE FIELD o.a ON fixed TYPE int READONLY;
      DEFINE TABLE odd; DEFINE FIELD best ON odd TYPE option<record<odd>>; DEFINE FIELD best_create ON odd TYPE int;
      DEFINE FIELD \`größe x\` ON odd TYPE option<object>; DEFINE FIELD \`größe x\`.\`a-b\` ON odd TYPE array<object>;
      DEFINE FIELD \`größe x\`.\`a-b\`.*.c ON odd TYPE int;
      DEFINE TABLE Odd; DEFINE TABLE CreateOddInput; DEFINE TABLE Tokens; DEFINE TABLE Mutation;`);
    expect(results.every(({ outcome }) => outcome.ok)).toBe(true);
    const catalog = await catalogOf(stack.owner);
    const view = { guardedByDefault: false, hidesDenied: false };
    const { schema } = buildSchema(
      { tables: [...(catalog?.tables.values() ?? [])], functions: [], buckets: new Set(), changing: new Set() },
      view,
    );
    expect(validateSchema(schema)).toEqual([]);
    const names = Object.keys(schema.getMutationType()?.getFields() ?? {});
    expect(names.filter((name) => /(Seen|Fixed|Bare|Edge)$/.test(name))).toEqual([
      'createBare',
      'createManyBare',
      'upsertBare',
      'upsertManyBare',
      'deleteBare',
      'deleteManyBare',
      'relateEdge',
      'deleteEdge',
      'deleteManyEdge',
      'createFixed',
      'createManyFixed',
      'upsertFixed',
      'upsertManyFixed',
      'deleteFixed',
      'deleteManyFixed',
    ]);
    expect(names.filter((name) => /^createOdd/.test(name))).toEqual(['createOdd', 'createOdd_2']);
    expect(
      await given(
        `mutation { createOdd_2(data: {best_create: 3, best_create_2: {best_create: 4}, gro_e_x: {a_b: [{c: 1}]}}) {
        best_create best { best_create } } }`.replaceAll('gro_e_x', 'grosse_x'),
      ),
    ).toEqual({ best_create: 3, best: { best_create: 4 } });
  });
});
