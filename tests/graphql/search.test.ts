/** Full-text search in GraphQL: filters, scores, highlights, order. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { openStack, type Stack } from './stack.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE ANALYZER simple TOKENIZERS class FILTERS lowercase, ascii;
  DEFINE TABLE shop SCHEMAFULL PERMISSIONS FULL;
  DEFINE FIELD name ON shop TYPE string;
  DEFINE TABLE track SCHEMAFULL PERMISSIONS FOR select WHERE open;
  DEFINE FIELD name ON track TYPE string;
  DEFINE FIELD open ON track TYPE bool DEFAULT true;
  DEFINE FIELD words ON track TYPE option<array<string>>;
  DEFINE FIELD secret ON track TYPE option<string> PERMISSIONS NONE;
  DEFINE FIELD next ON track TYPE option<record<track>>;
  DEFINE FIELD plain ON track TYPE option<string>;
  DEFINE TABLE sells TYPE RELATION IN shop OUT track SCHEMAFULL PERMISSIONS FULL;
  DEFINE FIELD note ON sells TYPE option<string>;
  DEFINE INDEX names ON track FIELDS name FULLTEXT ANALYZER simple HIGHLIGHTS;
  DEFINE INDEX words ON track FIELDS words FULLTEXT ANALYZER simple HIGHLIGHTS;
  DEFINE INDEX secrets ON track FIELDS secret FULLTEXT ANALYZER simple HIGHLIGHTS;
  DEFINE INDEX notes ON sells FIELDS note FULLTEXT ANALYZER simple;
  CREATE track:1 SET name = 'Água de beber', words = ['água', 'beber água'], next = track:2, secret = 'gold';
  CREATE track:2 SET name = 'Water, water', words = ['rain'], secret = 'gold';
  CREATE track:3 SET name = 'Smoke on the water', next = track:1;
  CREATE track:4 SET name = 'Water water water', open = false;
  CREATE track:5 SET name = 'Rain';
  CREATE track:6 SET name = 'Sun';
  CREATE track:7 SET name = 'Moon';
  CREATE track:8 SET name = 'Stars';
  CREATE track:9 SET name = 'Clouds';
  CREATE shop:1 SET name = 'One';
  RELATE shop:1->sells->track:1 SET note = 'green vinyl';
  RELATE shop:1->sells->track:2 SET note = 'black vinyl';
`;

let stack: Stack;
let guest: Session;
beforeAll(async () => {
  stack = await openStack(SETUP);
  guest = stack.database.session({});
  await guest.use('test', 'test');
});
afterAll(() => stack.database.close());

async function ask(query: string, variables?: object, session?: Session): Promise<unknown> {
  const { data, errors } = await stack.ask(query, variables, session);
  expect(errors).toBeUndefined();
  return data;
}

const ids = (...keys: number[]) => keys.map((key) => ({ id: `track:${key}` }));

it('filters by all words, by any, and by queries', async () => {
  expect(await ask('{ track(filter: {name: {matches: "agua"}}) { id } }')).toEqual({ track: ids(1) });
  expect(await ask('{ track(filter: {name: {matches: "smoke water"}}) { id } }')).toEqual({ track: ids(3) });
  expect(await ask('{ track(filter: {name: {matchesAny: "agua rain"}}) { id } }')).toEqual({ track: ids(1, 5) });
  expect(await ask('{ track(filter: {name: {name_matchesQuery: "wat* -smoke"}}) { id } }')).toEqual({
    track: ids(2, 4),
  });
  expect(await ask(`{ track(filter: {name: {matchesQuery: "\\"on the water\\""}}) { id } }`)).toEqual({
    track: ids(3),
  });
  expect(await ask('{ track(filter: {words: {matches: "beber"}}) { id } }')).toEqual({ track: ids(1) });
});

it('gives the best ones first, with scores and marks', async () => {
  const query = `query ($text: String, $marks: _marks) {
    track(filter: {name: {matches: $text}}, order: {desc: _score}, limit: 2, marks: $marks) {
      id _score _highlights { field texts }
    }
  }`;
  const data = (await ask(query, { text: 'water' })) as { track: { id: string; _score: number }[] };
  expect(data.track.map(({ id }) => id)).toEqual(['track:4', 'track:2']);
  expect(data.track[0]?._score).toBeGreaterThan(data.track[1]?._score as number);
  expect(data.track[1]).toMatchObject({
    _highlights: [{ field: 'name', texts: ['<mark>Water</mark>, <mark>water</mark>'] }],
  });
  expect(await ask(query, { text: 'smoke', marks: { before: '[', after: ']' } })).toMatchObject({
    track: [{ id: 'track:3', _highlights: [{ texts: ['[Smoke] on the water'] }] }],
  });
});

it('adds scores of several conditions, and marks lists text by text', async () => {
  const query = `{
    track(filter: {or: [{name: {matches: "agua"}}, {words: {matches: "agua"}}]}) { id _score _highlights { field texts } }
    name: track(filter: {name: {matches: "agua"}}) { _score }
    words: track(filter: {words: {matches: "agua"}}) { _score }
  }`;
  const data = (await ask(query)) as Record<string, { _score: number }[]>;
  const [both, name, words] = ['track', 'name', 'words'].map((each) => data[each]?.[0]?._score as number);
  expect(both).toBeCloseTo((name as number) + (words as number), 5);
  expect(data['track']).toMatchObject([
    {
      id: 'track:1',
      _highlights: [
        { field: 'name', texts: ['<mark>Água</mark> de beber'] },
        { field: 'words', texts: ['<mark>água</mark>', 'beber <mark>água</mark>'] },
      ],
    },
  ]);
});

it('has no score where nothing is searched, on linked records, nor among edges', async () => {
  expect(await ask('{ track(limit: 1) { _score _highlights { field } next { _score } } }')).toEqual({
    track: [{ _score: null, _highlights: [], next: { _score: null } }],
  });
  expect(
    await ask('{ shop { sells(filter: {note: {matches: "green"}}, order: {desc: _score}) { _score note } } }'),
  ).toEqual({
    shop: [{ sells: [{ _score: null, note: 'green vinyl' }] }],
  });
  const ofEdges =
    'sellsConnection(filter: {note: {matches: "green"}}, order: {desc: _score}) { nodes { _score note } }';
  expect(await ask(`{ shop { ${ofEdges} } }`)).toEqual({
    shop: [{ sellsConnection: { nodes: [{ _score: null, note: 'green vinyl' }] } }],
  });
  expect(await ask('{ track(filter: {next: {is: {name: {matches: "agua"}}}}) { id _score } }')).toEqual({
    track: [{ id: 'track:3', _score: null }],
  });
  expect(await ask('{ shop(filter: {sells: {some: {note: {matches: "black"}}}}) { name } }')).toEqual({
    shop: [{ name: 'One' }],
  });
});

it('pages by other orders', async () => {
  expect(
    await ask('{ trackConnection(first: 1, filter: {name: {matches: "water"}}) { nodes { id } totalCount } }'),
  ).toEqual({ trackConnection: { nodes: ids(2), totalCount: 3 } });
});

it('has scores and marks on the nodes of pages', async () => {
  const arguments_ = 'filter: {name: {matches: "smoke"}}, marks: {before: "[", after: "]"}';
  const query = `{
    trackConnection(${arguments_}) { edges { node { id _score _highlights { field texts } } } nodes { _score } }
    track(filter: {name: {matches: "smoke"}}) { _score }
  }`;
  const { track, ...pages } = (await ask(query)) as { track: [{ _score: number }] };
  expect(track[0]._score).toBeGreaterThan(0);
  const node = { id: 'track:3', ...track[0], _highlights: [{ field: 'name', texts: ['[Smoke] on the water'] }] };
  expect(pages).toEqual({ trackConnection: { edges: [{ node }], nodes: track } });
});

interface Page {
  readonly trackConnection: {
    readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean };
  };
}

describe.each([
  ['one condition', '{name: {matchesAny: "water rain smoke"}}'],
  ['several conditions', '{or: [{name: {matchesAny: "water smoke"}}, {words: {matches: "agua"}}]}'],
  ['none', '{name: {ne: "Sun"}}'],
])('pages by score with %s', (_, filter) => {
  const pageOf = async (cut: string, order: string, session?: Session): Promise<Page['trackConnection']> => {
    const query = `{
      trackConnection(${cut}, filter: ${filter}, order: ${order}) {
        edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage }
      }
    }`;
    return ((await ask(query, {}, session)) as Page).trackConnection;
  };
  const nodesOf = ({ edges }: Page['trackConnection']): string[] => edges.map(({ node }) => node.id);

  it.each(['{desc: _score}', '{asc: _score}', '{desc: _score, then: {desc: name}}'])(
    'forward and backward by %s, as owner and as guest',
    async (order) => {
      for (const session of [undefined, guest]) {
        const all = nodesOf(await pageOf('first: 20', order, session));
        const list = `{ track(filter: ${filter}, order: ${order}) { id } }`;
        const { track } = (await ask(list, {}, session)) as { track: { id: string }[] };
        expect([...all].sort()).toEqual(track.map(({ id }) => id).sort());
        expect(all.length).toBeGreaterThan(1);
        const forward: string[] = [];
        for (let cut = 'first: 1', more = true; more; ) {
          const page = await pageOf(cut, order, session);
          forward.push(...nodesOf(page));
          more = page.pageInfo.hasNextPage;
          cut = `first: 1, after: "${page.edges.at(-1)?.cursor}"`;
        }
        expect(forward).toEqual(all);
        const backward: string[] = [];
        for (let cut = 'last: 2', more = true; more; ) {
          const page = await pageOf(cut, order, session);
          backward.unshift(...nodesOf(page));
          more = page.pageInfo.hasPreviousPage;
          cut = `last: 2, before: "${page.edges[0]?.cursor}"`;
        }
        expect(backward).toEqual(all);
      }
    },
  );
});

it('shows nothing that is hidden', async () => {
  const query = '{ track(filter: {name: {matches: "water"}}, order: {desc: _score}) { id } }';
  expect(await ask(query, {}, guest)).toEqual({ track: ids(2, 3) });
  expect(await ask('{ track(filter: {secret: {matches: "gold"}}) { id _highlights { texts } } }', {}, guest)).toEqual({
    track: [],
  });
  const both =
    '{ track(filter: {name: {matches: "agua"}, or: [{secret: {matches: "gold"}}, {name: {matches: "agua"}}]}) { _highlights { field } } }';
  expect(await ask(both, {}, guest)).toEqual({ track: [{ _highlights: [{ field: 'name' }, { field: 'name' }] }] });
});

it('says what is wrong with a query, and offers search for indexed fields alone', async () => {
  const { errors } = await stack.ask('{ track(filter: {name: {matchesQuery: "a -"}}) { id } }');
  expect(errors?.[0]?.message).toContain('Invalid search query at character 3');
  const { errors: unknown } = await stack.ask('{ track(filter: {plain: {matches: "a"}}) { id } }');
  expect(unknown?.[0]?.message).toContain('matches');
  const { errors: without } = await stack.ask('{ shop { _score } }');
  expect(without?.[0]?.message).toContain('_score');
  const { errors: missing } = await stack.ask('{ track(filter: {name: {matches: null}}) { id } }');
  expect(missing?.[0]?.message).toContain('null');
});
