/** Every document that the manual shows runs on tables such as it speaks of. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openStack } from './stack.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE TABLE person SCHEMAFULL;
  DEFINE FIELD name ON person TYPE string; DEFINE FIELD age ON person TYPE option<int>;
  DEFINE FIELD born ON person TYPE option<datetime>; DEFINE FIELD city ON person TYPE option<string>;
  DEFINE FIELD tags ON person TYPE option<array<string>>; DEFINE FIELD best ON person TYPE option<record<person>>;
  DEFINE FIELD friends ON person TYPE array<record<person>> DEFAULT [];
  DEFINE FIELD items ON person TYPE option<array<object>>; DEFINE FIELD items.*.price ON person TYPE decimal;
  DEFINE TABLE book SCHEMAFULL; DEFINE FIELD title ON book TYPE string;
  DEFINE TABLE wrote TYPE RELATION FROM person TO book SCHEMAFULL; DEFINE FIELD year ON wrote TYPE option<int>;
  DEFINE TABLE follows TYPE RELATION FROM person TO person;
  DEFINE FUNCTION fn::people::older($than: int) -> array<record<person>> { RETURN SELECT VALUE id FROM person WHERE age > $than };
  CREATE person:simon SET name = 'Simon', age = 34, city = 'Rome', items = [{ price: 8.00dec }], best = person:ann;
  CREATE person:ann SET name = 'Ann', age = 20, city = 'Rome', born = d'2006-01-01T00:00:00Z', friends = [person:simon];
  CREATE book:1 SET title = 'Apples';
  RELATE person:simon->wrote->book:1 SET year = 2021;`;

const page = readFileSync(new URL('../../docs/guides/graphql.md', import.meta.url), 'utf8');
/** Each document with the answer that stands behind it. */
const documents = [...page.matchAll(/^```graphql\n(.*?)^```\n(?:\n```json\n(.*?)^```\n)?/gms)].map(
  ([, text = '', answer]) => ({ text, answer }),
);
/** What differs each time: ids that are drawn. */
const shown = (answer: unknown) => JSON.stringify(answer, undefined, 2).replace(/:[a-z0-9]{20}"/g, ':…"');

describe('the manual', () => {
  it('has documents', () => {
    expect(documents.length).toBeGreaterThan(4);
  });

  it.each(documents)('$text', async ({ text, answer }) => {
    const { service, owner, ask } = await openStack(SETUP);
    // A cursor is cut short on the page.
    const query = text.replace(', after: "…"', '');
    if (query.startsWith('subscription')) {
      const subscription = await service.subscribe(owner, { query, variables: undefined, operationName: undefined });
      expect(subscription).not.toHaveProperty('failures');
      if (!('failures' in subscription)) await subscription.return();
      return;
    }
    expect(answer, 'an answer stands behind each query').toBeDefined();
    expect(shown(await ask(query))).toBe(shown(JSON.parse(answer ?? '')));
  });
});
