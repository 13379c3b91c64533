/** Files in GraphQL: fields that hold them show what is known of them, and addresses at which they can be got. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { Subscriber } from '../support/graphql-subscriber.js';
import { run } from '../support/world.js';
import { type Answer, openStack, type Stack } from './stack.js';

const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  DEFINE BUCKET avatars PERMISSIONS FULL;
  DEFINE BUCKET seen PERMISSIONS FOR head FULL;
  DEFINE BUCKET small PERMISSIONS FOR head, get WHERE size AND size < 5;
  DEFINE TABLE person SCHEMAFULL PERMISSIONS FULL;
  DEFINE FIELD name ON person TYPE option<string>;
  DEFINE FIELD avatar ON person TYPE option<file>;
  DEFINE FIELD more ON person TYPE option<array<file>>;
  DEFINE FIELD best ON person TYPE option<record<person>>;
  DEFINE FUNCTION fn::same($picture: file) -> file { RETURN $picture };
  f"avatars:/a/ann.png".put('a picture', { type: 'image/png' });
  f"seen:/x.txt".put('seen');
  f"small:/long.txt".put('too long');
  f"small:/short.txt".put('yes');
  CREATE person:1 SET name = 'Ann', avatar = f"avatars:/a/ann.png", more = [f"seen:/x.txt", f"avatars:/gone.png"];
  CREATE person:2 SET name = 'Ben', avatar = f"nowhere:/a", best = person:1;
  CREATE person:3 SET name = 'Cid', avatar = type::file('avatars', '/../odd');
  CREATE person:4 SET name = 'Dan', more = [f"small:/long.txt", f"small:/short.txt"];
`;

let stack: Stack;
let guest: Session;
beforeAll(async () => {
  stack = await openStack(SETUP);
  guest = stack.database.session({});
  await guest.use('test', 'test');
});
afterAll(() => stack.database.close());

const codes = ({ errors = [] }: Answer) => errors.map(({ extensions: { code } }) => code);

it('shows what is known of a file', async () => {
  const query = '{ _get_person(id: "1") { avatar { id bucket key name size type updated sha256 version } } }';
  const { _get_person } = (await stack.data(query)) as { _get_person: { avatar: Record<string, unknown> } };
  expect(_get_person.avatar).toEqual({
    id: 'avatars:/a/ann.png',
    bucket: 'avatars',
    key: '/a/ann.png',
    name: 'ann.png',
    size: 9,
    type: 'image/png',
    updated: expect.stringMatching(/^\d{4}-.*Z$/),
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    version: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
});

it('is null where the file is gone, its bucket is, or no file can have its key', async () => {
  expect(await stack.data('{ person(order: {asc: id}) { avatar { name } more { id __typename } } }')).toEqual({
    person: [
      { avatar: { name: 'ann.png' }, more: [{ id: 'seen:/x.txt', __typename: 'File' }, null] },
      { avatar: null, more: null },
      { avatar: null, more: null },
      { avatar: null, more: [expect.anything(), expect.anything()] },
    ],
  });
});

it('shows of files what the rules of their buckets allow', async () => {
  const query = '{ person(order: {asc: id}) { avatar { name } more { name size url } } }';
  const { person } = (await stack.data(query, {}, guest)) as { person: object[] };
  expect(person[0]).toEqual({ avatar: { name: 'ann.png' }, more: [{ name: 'x.txt', size: 4, url: null }, null] });
  const short = { name: 'short.txt', size: 3, url: expect.stringContaining('/files/test/test/small/short.txt?') };
  expect(person[3]).toEqual({ avatar: null, more: [null, short] });
});

it('gives an address for as long as it is asked for', async () => {
  const query = `query ($for: duration) { _get_person(id: "2") { best { avatar { hour: url day: url(for: $for) } } } }`;
  const { _get_person } = (await stack.data(query, { for: '1d' })) as {
    _get_person: { best: { avatar: { hour: string; day: string } } };
  };
  const { hour, day } = _get_person.best.avatar;
  const until = (address: string) => Number(new URL(address, 'http://host').searchParams.get('until'));
  expect(new URL(day, 'http://host').pathname).toBe('/files/test/test/avatars/a/ann.png');
  expect(Math.abs(until(day) - until(hour) - 23 * 3600)).toBeLessThanOrEqual(1);
  const tooLong = await stack.ask(query, { for: '8d' });
  expect(codes(tooLong)).toEqual(['file_link_time']);
  expect(tooLong.errors?.[0]?.path).toEqual(['_get_person', 'best', 'avatar', 'day']);
});

it('gives an address that ends with the session to those who have one', async () => {
  const query = '{ _get_person(id: "2") { best { avatar { url(session: true) } } } }';
  expect(codes(await stack.ask(query))).toEqual(['file_link_session']);
});

it('asks about the files of all records at once', async () => {
  await run(
    stack.owner,
    `FOR $i IN 0..300 {
      LET $file = type::file('avatars', '/many/' + <string> $i);
      $file.put('x');
      CREATE type::record('person', 100 + $i) SET avatar = $file;
    }`,
  );
  const before = { ...stack.sent };
  const { person } = (await stack.data('{ person(start: 4) { avatar { size url } } }')) as { person: object[] };
  expect(person).toHaveLength(300);
  expect(person[299]).toEqual({ avatar: { size: 1, url: expect.stringContaining('/files/') } });
  // Of the records, of their files, and of the addresses of these.
  expect(stack.sent.statements - before.statements).toBe(3);
});

it('counts files in the limit on values', async () => {
  const few = await openStack(SETUP, { limits: { values: 20 } });
  expect(codes(await few.ask('{ person { avatar { size } } }'))).toEqual(['graphql_limit']);
  await few.database.close();
});

it('takes files by their ids', async () => {
  const create = `mutation ($id: ID) { createPerson(data: {id: "5", avatar: $id, more: ["seen:/x.txt"]}) {
    avatar { id } more { id } } }`;
  expect(await stack.data(create, { id: 'avatars:/a/ann.png' })).toEqual({
    createPerson: { avatar: { id: 'avatars:/a/ann.png' }, more: [{ id: 'seen:/x.txt' }] },
  });
  const filter = '{ person(where: {avatar: {eq: "avatars:/a/ann.png"}}, order: {asc: id}) { id } }';
  expect(await stack.data(filter)).toEqual({ person: [{ id: 'person:1' }, { id: 'person:5' }] });
  expect(await stack.data('{ person(where: {more: {contains: "seen:/x.txt"}}, order: {asc: id}) { id } }')).toEqual({
    person: [{ id: 'person:1' }, { id: 'person:5' }],
  });
  expect(await stack.data('{ fn_same(picture: "seen:/x.txt") { size } }')).toEqual({ fn_same: { size: 4 } });
  for (const wrong of ['avatars', '/a.png', 'f"avatars/a"', '']) {
    const answer = await stack.ask(create, { id: wrong });
    expect(codes(answer), wrong).toEqual(['graphql_argument']);
    expect(answer.errors?.[0]?.message).toContain('is not a file');
  }
});

it('follows files in queries that are @live', async () => {
  const live = await openStack(SETUP);
  const sizes = await Subscriber.open(live, 'query @live { _get_person(id: "1") { avatar { size } } }');
  expect(await sizes.newsOf('_get_person')).toEqual([{ avatar: { size: 9 } }]);
  await run(live.owner, 'f"avatars:/a/ann.png".put("another picture")');
  expect(await sizes.newsOf('_get_person')).toEqual([{ avatar: { size: 15 } }]);
  await run(live.owner, 'f"avatars:/a/ann.png".delete()');
  expect(await sizes.newsOf('_get_person')).toEqual([{ avatar: null }]);
  const urls = await Subscriber.open(live, 'query @live { _get_person(id: "1") { more { url } } }');
  await urls.news();
  // An address has its end in it, so that it is another one each time.
  expect(urls.end).toBe('live_result_of_time');
  await live.database.close();
});

it('leaves a table its name', async () => {
  const other = await openStack(`DEFINE CONFIG GRAPHQL AUTO; DEFINE BUCKET b; DEFINE TABLE File SCHEMAFULL;
    DEFINE FIELD content ON File TYPE file; f"b:/x".put("x"); CREATE File:1 SET content = f"b:/x"`);
  expect(await other.data('{ File { __typename content { __typename size } } }')).toEqual({
    File: [{ __typename: 'File', content: { __typename: 'File_2', size: 1 } }],
  });
  await other.database.close();
});
