/** Compiles what tests start as a process of its own. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What the engine starts as a thread, which no file imports. */
const WORKER = 'src/storage/lmdb/engine/write-worker.ts';

/** Answers the path of the compiled file, in a folder that the caller removes. */
export function compiled(source: string, folder: string): string {
  const compiler = resolve('node_modules/typescript/bin/tsc');
  const options = '--ignoreConfig --noCheck --module nodenext --target es2023 --types node --rootDir .'.split(' ');
  execFileSync(process.execPath, [compiler, ...options, '--outDir', join(folder, 'code'), source, WORKER]);
  copyFileSync('package.json', join(folder, 'code', 'package.json'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
  return join(folder, 'code', source.replace(/ts$/, 'js'));
}
