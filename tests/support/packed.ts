/** The package as npm packs it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shrinkwrapOf } from '../../scripts/shrinkwrap.mjs';
import { temporaryFolder } from './server-process.js';

/** What `npm pack` makes, but for the build, which other tests are using: the path of the tarball. */
export function pack(): string {
  const folder = temporaryFolder();
  const content = join(folder, 'content');
  mkdirSync(content);
  for (const name of ['package.json', 'LICENSE', 'README.md', 'CHANGELOG.md']) cpSync(name, join(content, name));
  cpSync('dist', join(content, 'dist'), { recursive: true });
  const lock: unknown = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  writeFileSync(join(content, 'npm-shrinkwrap.json'), JSON.stringify(shrinkwrapOf(lock)));
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: content });
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  return join(folder, tarball);
}
