/** Queries that are @live: their responses are kept right. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { objectFrom } from '../../src/value/value.js';
import { LiveServer } from '../support/graphql-live-server.js';
import { Subscriber } from '../support/graphql-subscriber.js';
import { RECORD_ACCESS, run } from '../support/world.js';
import { openStack, type Stack } from './stack.js';

const SETUP = `${RECORD_ACCESS}
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE person PERMISSIONS FOR select WHERE age < 90; DEFINE FIELD name ON person TYPE string;
  DEFINE FIELD age ON person TYPE option<int>; DEFINE FIELD best ON person TYPE option<record<person>>;
  DEFINE TABLE other; DEFINE FIELD n ON other TYPE int;
  CREATE person:1 SET name = 'Ann', age = 20; CREATE person:2 SET name = 'Bob', age = 30`;

let stack: Stack;
beforeEach(async () => {
  stack = await openStack(SETUP);
});

async function person(): Promise<Session> {
  const session = stack.database.session({});
  await session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'ann' }));
  return session;
}

const open = (query: string, options: Parameters<typeof Subscriber.open>[2] = {}) =>
  Subscriber.open(stack, query, options);

describe('a query that is @live', () => {
  it('answers at once, and whenever its response differs', async () => {
    const names = await open('query @live { person(order: { desc: age }, limit: 1) { name best { name } } }');
    const bob = { name: 'Bob', best: null as { name: string } | null };
    expect(await names.newsOf('person')).toEqual([[bob]]);
    await run(stack.owner, 'UPDATE person:1 SET age = 21; CREATE other:1 SET n = 1');
    expect(await names.news()).toEqual([]);
    await run(stack.owner, 'UPDATE person:2 SET best = person:1');
    expect(await names.newsOf('person')).toEqual([[{ ...bob, best: { name: 'Ann' } }]]);
    await run(stack.owner, "UPDATE person:1 SET name = 'Anna'");
    expect(await names.newsOf('person')).toEqual([[{ ...bob, best: { name: 'Anna' } }]]);
    await names.stop();
    await run(stack.owner, 'UPDATE person:1 SET name = "A"');
    expect(await names.news()).toEqual([]);
    expect(stack.database.resourceUsage.liveQueries).toBe(0);
  });

  it('has several fields of one moment, with variables', async () => {
    const both = await open('query Q($n: Int!) @live { person(limit: $n) { name } other { n } }', {
      variables: { n: 1 },
    });
    expect((await both.news()).map(({ data }) => data)).toEqual([{ person: [{ name: 'Ann' }], other: [] }]);
    await run(stack.owner, 'BEGIN; UPDATE person:1 SET name = "A"; CREATE other:1 SET n = 5; COMMIT');
    expect((await both.news()).map(({ data }) => data)).toEqual([{ person: [{ name: 'A' }], other: [{ n: 5 }] }]);
  });

  it('shows what its user may see by then', async () => {
    const ann = await person();
    const ages = await open('query @live { person { age } }', { session: ann });
    expect(await ages.newsOf('person')).toEqual([[{ age: 20 }, { age: 30 }]]);
    await run(stack.owner, 'UPDATE person:1 SET age = 91; UPDATE person:1 SET age = 92');
    expect(await ages.newsOf('person')).toEqual([[{ age: 30 }]]);
    await run(stack.owner, 'DEFINE TABLE OVERWRITE person PERMISSIONS FULL');
    expect(await ages.newsOf('person')).toEqual([[{ age: 92 }, { age: 30 }]]);
    ann.invalidate();
    await ages.news();
    expect(ages.end).toBeDefined();
  });

  it('follows the definitions, errors of the document among them', async () => {
    const ages = await open('query @live { person { age } }');
    await ages.news();
    await run(stack.owner, 'REMOVE FIELD age ON person');
    const [refused] = await ages.news();
    expect(refused).toMatchObject({ errors: [{ message: expect.stringContaining('Cannot query field "age"') }] });
    await run(stack.owner, 'DEFINE FIELD age ON person TYPE option<int>');
    expect(await ages.newsOf('person')).toEqual([[{ age: 20 }, { age: 30 }]]);
  });

  it('needs a period where a rule depends on the time', async () => {
    const ann = await person();
    await run(
      stack.owner,
      'DEFINE TABLE OVERWRITE person PERMISSIONS FOR select WHERE time::now() > d"2000-01-01T00:00:00Z"',
    );
    const refused = await open('query @live { person { name } }', { session: ann });
    await refused.news();
    expect(refused.end).toBe('live_result_of_time');
    const looked = await open('query @live(every: 60000) { person { name } }', { session: ann });
    expect(await looked.newsOf('person')).toEqual([[{ name: 'Ann' }, { name: 'Bob' }]]);
    await expect(open('query @live(every: 5) { person { name } }')).rejects.toMatchObject({
      code: 'live_result_period',
    });
  });

  it('has no single answer', async () => {
    const request = { query: 'query @live { person { name } }', variables: undefined, operationName: undefined };
    await expect(stack.service.answer(stack.owner, request)).rejects.toMatchObject({ code: 'graphql_not_streamed' });
  });
});

it('goes over WebSockets and event streams', async () => {
  const server = await LiveServer.open();
  try {
    const query = 'query @live { note { text } }';
    const { owner } = server.world;
    const heard: unknown[] = [];
    const client = server.client({});
    const stop = client.subscribe(
      { query },
      { next: ({ data }) => heard.push(data), error: fail, complete: () => undefined },
    );
    const headers = {
      'svc-ns': 'test',
      'svc-db': 'test',
      accept: 'text/event-stream',
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ query });
    const response = await fetch(`http://${server.address}/graphql`, { method: 'POST', headers, body });
    const stream = (response.body as ReadableStream<Uint8Array>).getReader();
    const nextText = async () => new TextDecoder().decode((await stream.read()).value);
    expect(await nextText()).toBe('event: next\ndata: {"data":{"note":[]}}\n\n');
    await expect.poll(() => heard).toEqual([{ note: [] }]);
    await run(owner, "CREATE note:1 SET public = true, text = 'a'");
    expect(await nextText()).toBe('event: next\ndata: {"data":{"note":[{"text":"a"}]}}\n\n');
    await expect.poll(() => heard).toEqual([{ note: [] }, { note: [{ text: 'a' }] }]);
    stop();
    await stream.cancel();
    await expect.poll(() => server.world.database.resourceUsage.liveQueries).toBe(0);
    await client.dispose();
  } finally {
    await server.close();
  }
});

function fail(error: unknown): never {
  throw error;
}
