/**
 * The floors of a room (`docs/internals/architecture.md`): its folders import only from folders below them, type
 * imports included.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** From the bottom. Folders of one floor don't import from each other. `.` is what lies in the room itself. */
const FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'src/catalog': [
    ['keys', '.'],
    ['definitions'],
    ['changefeed', 'mail'],
    ['credentials'],
    ['ddl'],
    ['limits'],
    ['events', 'indexes', 'live', 'nodes'],
  ],
  'src/storage': [
    ['.'],
    ['tree', 'copy', 's3'],
    ['transaction'],
    ['commit', 'lmdb/file'],
    ['memory', 'remote', 'archive'],
    ['lmdb/log'],
    ['lmdb/engine', 'postgres'],
    ['lmdb/shared', 'backup'],
    ['open'],
  ],
  'src/search': [['text'], ['segments'], ['query']],
  'src/runtime': [['.'], ['audit', 'authorization', 'script']],
  'src/records': [['index'], ['.', 'search']],
  'src/query': [
    ['expression', 'nearest'],
    ['api', 'operators'],
    ['prefetch', 'view'],
    ['statement', 'control'],
  ],
  'src/ddl': [['define'], ['identity'], ['info', 'export'], ['check']],
  'src/statements': [['write', 'live'], ['explain'], ['.']],
  'src/session': [
    ['resources'],
    ['.'],
    ['live', 'results', 'audit', 'cache'],
    ['background'],
    ['nodes'],
    ['session'],
    ['database'],
  ],
  'src/graphql': [
    ['base'],
    ['execution', 'document'],
    ['schema', 'live'],
    ['collection-fields'],
    ['types'],
    ['root-fields'],
    ['.'],
    ['transports'],
  ],
  'src/files': [['contents'], ['uploads'], ['.'], ['check']],
  'src/http': [
    ['base'],
    ['response'],
    ['request'],
    ['connections', 'sign-in-page', 'files'],
    ['routes'],
    ['websocket'],
    ['.'],
  ],
  studio: [['connection', 'design'], ['base'], ['components'], ['session'], ['views'], ['frame'], ['.']],
};
/** A connection names the class of the transactions that its sessions hold, which are sessions' own. */
const ALLOWED = new Set(['session/resources/client-connection.ts → session/session/held-transaction.js']);

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].map(([, path = '']) => join(dirname(file), path));
}

test.each(Object.entries(FLOORS))('%s has no arrow back up', (root, floors) => {
  const levelOf = new Map(floors.flatMap((folders, level) => folders.map((folder) => [folder, level] as const)));
  /** The folder that the table lists: the innermost one, where it divides a folder further. */
  const folderOf = (file: string) => {
    let folder = dirname(file.slice(root.length + 1));
    while (folder.includes('/') && !levelOf.has(folder)) folder = dirname(folder);
    return folder;
  };
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(root, name));
  expect(files.filter((file) => !levelOf.has(folderOf(file)))).toEqual([]);
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

/** Where what runs for every record, key or expression waits without promises (ADR 0042); other code awaits. */
const NESTING = [
  // Each HTTP request signs in by its token.
  'auth/kinds/session-validity.ts',
  'auth/kinds/token-signin.ts',
  'base',
  'catalog/changefeed/change-log.ts',
  'catalog/credentials/incarnation.ts',
  'catalog/definitions',
  'catalog/events',
  'ddl/define/ensure-table.ts',
  'functions',
  'graphql/execution',
  'index',
  'query/control',
  'query/expression',
  'query/nearest',
  'query/operators',
  'query/statement',
  'query/view',
  'records',
  'runtime',
  'search',
  'session/session',
  'session/live',
  'statements/live',
  'statements/write',
  'storage',
];

/** Whether a call of `andThen` holds another one. */
function nestsCalls(text: string): boolean {
  return [...text.matchAll(/\bandThen\(/g)].some(({ index }) => {
    const from = index + 'andThen('.length;
    let depth = 1;
    let at = from;
    for (; depth > 0 && at < text.length; at++) depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
    return /\bandThen\(/.test(text.slice(from, at));
  });
}

test('calls of andThen nest only where rows flow', () => {
  const nesting = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && nestsCalls(readFileSync(join('src', name), 'utf8')))
    .filter((name) => !NESTING.some((place) => name === place || name.startsWith(`${place}/`)));
  expect(nesting).toEqual([]);
});
