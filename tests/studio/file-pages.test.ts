/** How a page of a folder is read: each folder once, with few requests, whatever its keys are. */
import { DateTime, FileRef } from 'surrealdb';
import { expect, it } from 'vitest';
import { type FileSource, loadEntries } from '../../studio/views/files/stored-files.js';

/** Answers lists as a server with these keys, in their order, and counts them. */
function sourceOf(keys: readonly string[]) {
  const counted = { lists: 0 };
  const source: FileSource = {
    query: async <Values extends unknown[]>(_text: string, variables = {}) => {
      const { prefix, limit, start = '' } = variables as { prefix: string; limit: number; start?: string };
      counted.lists++;
      const found = keys.filter(
        (key) => key.startsWith(prefix) && Buffer.compare(Buffer.from(key), Buffer.from(start)) > 0,
      );
      const files = found.slice(0, limit).map((key) => ({
        file: new FileRef('b', key),
        size: 1,
        type: 'text/plain',
        updated: new DateTime(),
      }));
      return [files] as unknown[] as Values;
    },
  };
  return { source, counted };
}

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${prefix}${String(at).padStart(5, '0')}`);
const ROOT = { bucket: 'b', folder: '/', prefix: '' };

it('reads a hundred files of a folder, however many it has', async () => {
  const { source, counted } = sourceOf([...numbered('/a/', 10_000), '/b', ...numbered('/c/', 10_000), '/d']);
  const { entries, next } = await loadEntries(source, ROOT);
  expect(entries.map(({ key }) => key)).toEqual(['/a/', '/b', '/c/', '/d']);
  expect([next, counted.lists]).toEqual([undefined, 3]);
});

it('comes to the end of a folder of keys with the last of all characters', async () => {
  const { source } = sourceOf([...numbered('/a/\u{10FFFF}', 250), '/b']);
  const { entries } = await loadEntries(source, ROOT);
  expect(entries.map(({ key }) => key)).toEqual(['/a/', '/b']);
});

it('goes on where the page before has ended', async () => {
  const keys = [...numbered('/n', 150), '/z/1', '/z/2'];
  const { source } = sourceOf(keys);
  const first = await loadEntries(source, ROOT);
  expect(first.entries.map(({ key }) => key)).toEqual(keys.slice(0, 100));
  const second = await loadEntries(source, ROOT, first.next);
  expect(second.entries.map(({ key }) => key)).toEqual([...keys.slice(100, 150), '/z/']);
  expect(second.next).toBeUndefined();
});
