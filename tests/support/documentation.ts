/** The pages of the documentation, as they are in the tree: tests that go over all of them ask here. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every page in a folder and the folders within it. */
export const pagesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(folder, name))
    .sort();

/** Whether a page only says where its content has moved. */
export const isRedirect = (page: string): boolean => readFileSync(page, 'utf8').startsWith('# Moved\n');
