/** `npm start` installs what building and running need, and no more: what checks and tests need is in tooling/package.json. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

type Listed = Readonly<Partial<Record<'dependencies' | 'optionalDependencies' | 'devDependencies', object>>>;
type Locked = {
  readonly dependencies?: object;
  readonly peerDependencies?: object;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
};

const read = <T>(file: string) => JSON.parse(readFileSync(file, 'utf8')) as T;
const { dependencies, optionalDependencies, devDependencies } = read<Listed>('package.json');
const building = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });

/** What `npm run build` and `npm start` read. */
const SOURCES = [
  ...['src', 'pages', 'studio'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && name !== 'vite.config.ts')
      .map((name) => `${folder}/${name}`),
  ),
  ...['start', 'install', 'command', 'pages', 'licences'].map((name) => `scripts/${name}.mjs`),
];

it('building imports no package of the tooling', () => {
  const tooling = Object.keys(read<Listed>('tooling/package.json').devDependencies ?? {});
  const imported = SOURCES.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^(?:import|export)\b[^'\n]*'((?:@[\w-]+\/)?[\w-]+)/gm)].map(
      ([, name]) => name,
    ),
  );
  expect(imported).toContain('react');
  expect([...new Set(imported)].filter((name) => name !== undefined && tooling.includes(name))).toEqual([]);
  expect(tooling.filter((name) => building.includes(name))).toEqual([]);
});

it('is at most 257 packages', () => {
  const { packages } = read<{ readonly packages: Readonly<Record<string, Locked>> }>('package-lock.json');
  /** As Node looks for a package: beside who asks for it, then further up. */
  const pathOf = (from: string, name: string): string | undefined => {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
      const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
      if (packages[path] !== undefined) return path;
      if (folder === '') return undefined;
    }
  };
  const found = new Set<string>();
  const add = (path: string | undefined): void => {
    if (path === undefined || found.has(path)) return;
    found.add(path);
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = packages[path] ?? {};
    const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
    for (const name of [...Object.keys(dependencies), ...peers]) add(pathOf(path, name));
  };
  for (const name of building) add(pathOf('', name));
  expect(found.size).toBeGreaterThan(100);
  expect(found.size).toBeLessThanOrEqual(257);
});
