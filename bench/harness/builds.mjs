// Builds of revisions of the repository, kept by commit.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './temporary-folder.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Within the repository, so that builds find the packages installed there. */
const KEPT = join(ROOT, '.builds');
const MOST_KEPT = 6;

const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

/** Modules read it beside the folder of their build. */
const PACKAGE = 'package.json';

function compile(folder, output) {
  mkdirSync(KEPT, { recursive: true });
  copyFileSync(join(ROOT, PACKAGE), join(KEPT, PACKAGE));
  execFileSync(
    process.execPath,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json', '--outDir', output],
    { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] },
  );
}

/** The folder of a revision's build. Packages are those installed now. @param {string} revision as git names it */
export function buildRevision(revision) {
  const commit = git('rev-parse', '--verify', `${revision}^{commit}`);
  const kept = join(KEPT, commit);
  if (existsSync(kept)) return kept;
  const folder = temporaryFolder();
  // A build that was interrupted doesn't stand under the name of a whole one.
  const unfinished = join(KEPT, `unfinished-${process.pid}`);
  try {
    const sources = join(folder.path, 'sources');
    mkdirSync(sources);
    const archive = execFileSync(
      'git',
      ['archive', commit, 'src', 'package.json', 'tsconfig.json', 'tsconfig.build.json'],
      {
        cwd: ROOT,
        maxBuffer: 1 << 30,
      },
    );
    execFileSync('tar', ['-x', '-C', sources], { input: archive });
    symlinkSync(join(ROOT, 'node_modules'), join(sources, 'node_modules'));
    compile(sources, unfinished);
    renameSync(unfinished, kept);
  } finally {
    folder.remove();
    rmSync(unfinished, { recursive: true, force: true });
  }
  prune(commit);
  return kept;
}

/** The folder of a build of the files as they are. */
export function buildWorking() {
  if (git('status', '--porcelain', '--', 'src') === '') return buildRevision('HEAD');
  const output = join(KEPT, 'working');
  compile(ROOT, output);
  return output;
}

/** Forgets the oldest builds. */
function prune(keep) {
  const builds = readdirSync(KEPT)
    .filter((name) => ![PACKAGE, 'working', keep].includes(name))
    .map((name) => ({ path: join(KEPT, name), made: statSync(join(KEPT, name)).mtimeMs }))
    .toSorted((a, b) => b.made - a.made);
  for (const { path } of builds.slice(MOST_KEPT - 1)) rmSync(path, { recursive: true, force: true });
}
