/** `tessera init`: writes the folder of an app. */
import { relative } from 'node:path';
import { Argument, type Command } from 'commander';
import type { WrittenFiles } from './templates.js';

/** The folders of `templates/`: what their apps do, and what their pages need, where they have one. */
const TEMPLATES: Readonly<Record<string, { readonly does: string; readonly page?: string }>> = {
  minimal: { does: 'one table' },
  todo: {
    does: 'people who share lists, with a page in React that goes on without a connection',
    page: 'npm install surrealdb @tanstack/db@0.15 react react-dom vite && npx vite',
  },
  retrieval: { does: 'texts that are found by words and by vectors' },
};

export function addInitCommand(program: Command): void {
  program
    .command('init')
    .description('Write the folder of an app: migrations, a seed and settings')
    .addArgument(new Argument('[template]', 'Which app').choices(Object.keys(TEMPLATES)).default('minimal'))
    .argument('[folder]', 'Where', '.')
    .addHelpText(
      'after',
      `
Nothing is overwritten: a README.md and a .gitignore that are there stay as they are, and of other files none is written
where one of them is there.

Templates:
${Object.entries(TEMPLATES)
  .map(([name, { does }]) => `  ${name.padEnd(10)} ${does}`)
  .join('\n')}

Examples:
  tessera init
  tessera init todo tasks`,
    )
    .action(async (template: string, folder: string) => {
      const { writeTemplate } = await import('./templates.js');
      process.stdout.write(initText(writeTemplate(template, folder), folder, TEMPLATES[template]?.page));
    });
}

function initText({ written, kept }: WrittenFiles, folder: string, page: string | undefined): string {
  const lines = written.map((name) => `  ${name}`);
  const there = kept.length === 0 ? [] : [`Kept as it was: ${kept.join(', ')}`];
  const path = relative('', folder);
  const enter = path === '' ? '' : `cd ${path} && `;
  const thePage = page === undefined ? [] : [`Page: ${enter}${page}`];
  return `${['Wrote', ...lines, ...there, '', `Next: ${enter}npx tessera dev`, ...thePage].join('\n')}\n`;
}
