/** The floors of a room (`docs/ARCHITECTURE.md`): its folders import only from folders below them, type imports included. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** Folders of one floor don't import from each other. `.` is what lies in the room itself. */
const FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  catalog: [
    ['keys', '.'],
    ['definitions'],
    ['changefeed'],
    ['credentials'],
    ['ddl'],
    ['events', 'indexes', 'live', 'nodes'],
  ],
  runtime: [['.'], ['audit', 'authorization', 'script']],
  records: [['index'], ['.', 'search']],
  query: [
    ['expression', 'nearest'],
    ['api', 'operators'],
    ['prefetch', 'view'],
    ['statement', 'control'],
  ],
  ddl: [['define'], ['identity'], ['info', 'export'], ['check']],
  statements: [['write', 'live'], ['explain'], ['.']],
  search: [['text'], ['segments'], ['query']],
  session: [['resources'], ['.'], ['live', 'audit', 'plans'], ['background'], ['nodes'], ['session'], ['database']],
};
/** A connection names the class of the transactions that its sessions hold, which are sessions' own. */
const ALLOWED = new Set(['session/resources/client-connection.ts → session/session/held-transaction.js']);

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].map(([, path = '']) => join(dirname(file), path));
}

test.each(Object.entries(FLOORS))('%s has no arrow back up', (room, floors) => {
  const root = join('src', room);
  const levelOf = new Map(floors.flatMap((folders, level) => folders.map((folder) => [folder, level] as const)));
  const folderOf = (file: string) => {
    const [first = '', ...rest] = file.slice(root.length + 1).split('/');
    return rest.length === 0 ? '.' : first;
  };
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(root, name));
  expect(files.map(folderOf).filter((folder) => !levelOf.has(folder))).toEqual([]);
  const wrong = files.flatMap((file) => {
    const from = folderOf(file);
    return importsOf(file)
      .filter((imported) => imported.startsWith(`${root}/`) && folderOf(imported) !== from)
      .filter((imported) => !ALLOWED.has(`${file} → ${imported}`.replaceAll('src/', '')))
      .filter((imported) => (levelOf.get(folderOf(imported)) as number) >= (levelOf.get(from) as number))
      .map((imported) => `${file} imports ${imported}`);
  });
  expect(wrong).toEqual([]);
});
