/** The templates of apps in `templates/`, and how one becomes the folder of an app. */
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError } from './command-error.js';

/** Sources and the bundled command have the same depth in the package. */
const FOLDER = fileURLToPath(new URL('../../templates/', import.meta.url));

/** npm leaves files of this name out of packages. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore' };

const MIGRATIONS = 'migrations';

/** A folder that has these already keeps them. */
const KEPT: ReadonlySet<string> = new Set(['.gitignore', 'README.md']);

export interface WrittenFiles {
  /** Paths within the folder. */
  readonly written: readonly string[];
  readonly kept: readonly string[];
}

/**
 * Writes the files of a template into a folder, which is made where it is missing. Nothing is overwritten.
 * @throws CommandError where the folder has one of them already, of which nothing is written then; Error of the file
 * system
 */
export function writeTemplate(template: string, folder: string): WrittenFiles {
  const source = join(FOLDER, template);
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(source.length + 1))
    .map((file) => ({ from: join(source, file), name: RENAMED[file] ?? file }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  // Other migrations would come before or between those of the template.
  const taken = [MIGRATIONS, ...files.map(({ name }) => name)]
    .filter((name) => !KEPT.has(name) && existsSync(join(folder, name)))
    .map((name) => join(folder, name));
  if (taken.length > 0) throw new CommandError(`${taken.join(', ')}: already there, so nothing was written`);
  const kept = files.filter(({ name }) => existsSync(join(folder, name)));
  const written = files.filter((file) => !kept.includes(file));
  for (const { from, name } of written) {
    const to = join(folder, name);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
  return { written: written.map(({ name }) => name), kept: kept.map(({ name }) => name) };
}
