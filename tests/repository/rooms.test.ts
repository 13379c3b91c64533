/** The order of the rooms (`CONTRIBUTING.md`), kept by looking at every import, type imports included. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const ROOMS: readonly (readonly string[])[] = [
  ['base'],
  ['tracing'],
  ['env', 'errors', 'metrics', 'vectors'],
  ['value'],
  ['language', 'storage'],
  ['catalog'],
  ['functions', 'index', 'search'],
  ['plan'],
  ['runtime', 'auth', 'audit'],
  ['records', 'files'],
  ['query'],
  ['ddl'],
  ['statements', 'inference'],
  ['session'],
  ['rpc', 'graphql'],
  ['http'],
  ['server', 'embedded', 'cli'],
];
const LEVEL = new Map(ROOMS.flatMap((rooms, level) => rooms.map((room) => [room, level] as const)));
/** The command starts the server: the one import between rooms on one line. */
const ALLOWED = new Set(['cli → server']);

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('src', name));

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].map((match) =>
    relative('src', join(dirname(file), match[1] as string)),
  );
}

test('every file of src stands in a room', () => {
  expect(files.map((file) => file.split('/')[1]).filter((room) => !LEVEL.has(room as string))).toEqual([]);
});

test('rooms import only from rooms above them', () => {
  const wrong: string[] = [];
  for (const file of files) {
    const room = file.split('/')[1] as string;
    for (const imported of importsOf(file)) {
      const other = imported.split('/')[0] as string;
      if (other === room || ALLOWED.has(`${room} → ${other}`)) continue;
      const above = (LEVEL.get(other) ?? Number.POSITIVE_INFINITY) < (LEVEL.get(room) as number);
      if (!above) wrong.push(`${file} imports ${imported}`);
    }
  }
  expect(wrong).toEqual([]);
});
