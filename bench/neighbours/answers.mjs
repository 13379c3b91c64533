// Requests of HTTP as bytes, and what is asked of their answers: a refusal must not be timed as an answer.
import { isDeepStrictEqual } from 'node:util';
import { httpConnection, postBytes, textOf } from '../harness/raw-client.mjs';
import { newestOf, newNote, newTitle, ownNote, tagName, userName, userOf } from './notes.mjs';

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' };
const bearer = (token) => (token === undefined ? {} : { authorization: `Bearer ${token}` });

export const post = (path, token, value, headers = {}) =>
  postBytes(path, { ...JSON_HEADERS, ...bearer(token), ...headers }, JSON.stringify(value));
export const patch = (...parts) => Buffer.from(`PATCH${post(...parts).subarray('POST'.length)}`);
export function get(path, token) {
  const lines = Object.entries({ host: '127.0.0.1', accept: 'application/json', ...bearer(token) });
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
}

/** What an answer says in JSON; fails unless its status is a good one. */
export function jsonOf(answer) {
  if (answer === undefined) throw new Error('the server hung up');
  const text = textOf(answer);
  if (!/^HTTP\/1\.1 20[01] /.test(answer.latin1Slice(0, 20))) throw new Error(answer.toString().slice(0, 2_000));
  return text === '' ? undefined : JSON.parse(text);
}

/** Asks once, over a connection of its own. */
export async function askOnce(port, bytes) {
  const connection = await httpConnection(port);
  try {
    return jsonOf(await connection.ask(bytes));
  } finally {
    connection.close();
  }
}

function expect(found, wanted) {
  if (isDeepStrictEqual(found, wanted)) return;
  throw new Error(`${JSON.stringify(found)}, where ${JSON.stringify(wanted)} was awaited`);
}

/** What answers have to say, once a system has read them into notes `{body, title, owner}`, `owner` and `tags` as names where they were asked for. */
export const CHECKS = {
  read: (found, n) => expect(found.body, ownNote(n).body),
  list: (found, n) =>
    expect(
      found.map(({ body }) => body),
      newestOf(userOf(n)).map(({ body }) => body),
    ),
  linked: (found, n) =>
    expect(
      found.map(({ body, owner, tags }) => [body, owner, tags.toSorted()]),
      newestOf(userOf(n)).map(({ body, owner, tags }) => [body, userName(owner), tags.map(tagName).toSorted()]),
    ),
  create: (found, n) => expect([found.title, found.body], [newNote(n).title, newNote(n).body]),
  update: (found, n) => expect([found.title, found.body], [newTitle(n), ownNote(n).body]),
};
