/** The search of the music shop, as its customers use it, beside what the rows of its data say should be found. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp, type ServerProcess, startServer } from '../support/server-process.js';
import { SHOP_HEADERS, send, tokenOf } from './clients.js';
import { albums, artists, credentialsOf, customers, loadShop, tracks } from './shop.js';

interface Found {
  readonly id: string;
  readonly score: number;
  readonly name: string;
}
interface Answer {
  readonly artists: readonly Found[];
  readonly albums: readonly (Omit<Found, 'name'> & { readonly title: string; readonly artist: string })[];
  readonly tracks: readonly (Found & { readonly composer?: string | null; readonly artist: string })[];
}

let server: ServerProcess;
let token: string;
beforeAll(async () => {
  server = await startServer(undefined, { SVC_EXPERIMENTAL_GRAPHQL: 'true' });
  await loadShop(server.url);
  const [customer] = customers;
  if (customer === undefined) throw new Error('the shop has no customers');
  token = await tokenOf(server.url, 'signup', credentialsOf(customer));
}, 120_000);
afterAll(cleanUp);

/** What `fn::search` gives a customer, or the error. */
async function search(text: string, most = 1000): Promise<Answer> {
  const headers = { ...SHOP_HEADERS, accept: 'application/json', authorization: `Bearer ${token}` };
  const statement = `RETURN fn::search(${JSON.stringify(text)}, ${most})`;
  const { text: answer } = await send(`${server.url}/sql`, headers, statement);
  const [{ status, result }] = JSON.parse(answer) as [{ status: string; result: Answer | string }];
  if (status !== 'OK' || typeof result === 'string') throw new Error(String(result));
  return result;
}

/** The words of a name without accents, in small letters. */
const wordsOf = (name: string | null): string[] => {
  const plain = (name ?? '').normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.match(/\p{L}+|\p{N}+/gu) ?? [];
};

/** A word with an accent, and one of more than two letters, which two rows of the data have. */
const accented = tracks.flatMap(({ Name }) => Name.match(/\p{L}+/gu) ?? []).find((word) => /[éñïç]/u.test(word)) ?? '';
const [composed = ''] = tracks.flatMap(({ Composer }) => wordsOf(Composer).filter((word) => /^[a-z]{3,}$/.test(word)));

describe.each([accented, ...wordsOf(accented), accented.toUpperCase(), composed])('finds %s', (word) => {
  const plain = wordsOf(word).join('');
  const has = (name: string | null) => wordsOf(name).includes(plain);
  const ids = (found: readonly { readonly id: string }[]): string[] => found.map(({ id }) => id).sort();

  it('in all rows that hold it, and nowhere else', async () => {
    const found = await search(word);
    const expected = {
      artists: artists.filter(({ Name }) => has(Name)).map(({ ArtistId }) => `artist:${ArtistId}`),
      albums: albums.filter(({ Title }) => has(Title)).map(({ AlbumId }) => `album:${AlbumId}`),
      tracks: tracks
        .filter(({ Name, Composer }) => has(Name) || has(Composer))
        .map(({ TrackId }) => `track:${TrackId}`),
    };
    expect({ artists: ids(found.artists), albums: ids(found.albums), tracks: ids(found.tracks) }).toEqual({
      artists: expected.artists.sort(),
      albums: expected.albums.sort(),
      tracks: expected.tracks.sort(),
    });
    expect(found.tracks.length).toBeGreaterThan(0);
  });

  it('the best first, with marks around it', async () => {
    const found = await search(word);
    for (const rows of Object.values(found) as Found[][]) {
      const scores = rows.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    }
    for (const { name, composer } of found.tracks) {
      const marked = `${name} ${composer ?? ''}`.match(/\[[^\]]*\]/g) ?? [];
      expect([name, marked.some((each) => wordsOf(each).join('') === plain)]).toEqual([name, true]);
    }
    const best = await search(word, 3);
    expect(best.tracks.map(({ score }) => score)).toEqual(found.tracks.slice(0, 3).map(({ score }) => score));
  });
});

it('finds phrases and beginnings of words, and leaves out what must not occur', async () => {
  const name = tracks.map(({ Name }) => Name).find((each) => /^[A-Z][a-z]{3,} [A-Z][a-z]{3,}$/.test(each)) ?? '';
  const [one = '', two = ''] = wordsOf(name);
  const names = async (text: string) => (await search(text)).tracks.map((track) => track.name.replace(/[[\]]/g, ''));
  expect(await names(`"${one} ${two}"`)).toContain(name);
  expect(await names(`"${two} ${one}"`)).not.toContain(name);
  expect(await names(`${one.slice(0, 3)}* ${two}`)).toContain(name);
  expect(await names(`${one} -${two}`)).not.toContain(name);
});

it('says what is wrong with a text', async () => {
  await expect(search('"never closed')).rejects.toThrow('the phrase has no closing `"`');
});

it('finds the same over GraphQL', async () => {
  const query = `query ($text: String) {
    track(filter: {name: {matchesQuery: $text}}, order: {desc: _score}) { id _score _highlights { field texts } }
  }`;
  const headers = {
    ...SHOP_HEADERS,
    accept: '*/*',
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
  };
  const body = JSON.stringify({ query, variables: { text: accented } });
  const { data } = JSON.parse((await send(`${server.url}/graphql`, headers, body)).text) as {
    data: { track: { id: string; _highlights: { field: string; texts: string[] }[] }[] };
  };
  const [word] = wordsOf(accented);
  const named = tracks
    .filter(({ Name }) => wordsOf(Name).includes(word ?? ''))
    .map(({ TrackId }) => `track:${TrackId}`);
  expect(data.track.map(({ id }) => id).sort()).toEqual(named.sort());
  for (const { _highlights } of data.track) {
    expect(_highlights).toEqual([{ field: 'name', texts: [expect.stringContaining('<mark>')] }]);
  }
});
