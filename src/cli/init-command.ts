/** `tessera init`: writes the folder of an app. */
import { relative } from 'node:path';
import { Argument, type Command } from 'commander';
import type { WrittenFiles } from './templates.js';

/** The folders of `templates/`, each with what its app does. */
const TEMPLATES: Readonly<Record<string, string>> = {
  minimal: 'one table',
  todo: 'people who sign up, and lists that only they see',
  retrieval: 'texts that are found by words and by vectors',
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
  .map(([name, what]) => `  ${name.padEnd(10)} ${what}`)
  .join('\n')}

Examples:
  tessera init
  tessera init todo tasks`,
    )
    .action(async (template: string, folder: string) => {
      const { writeTemplate } = await import('./templates.js');
      process.stdout.write(initText(writeTemplate(template, folder), folder));
    });
}

function initText({ written, kept }: WrittenFiles, folder: string): string {
  const lines = written.map((name) => `  ${name}`);
  const there = kept.length === 0 ? [] : [`Kept as it was: ${kept.join(', ')}`];
  const path = relative('', folder);
  const enter = path === '' ? '' : `cd ${path} && `;
  return `${['Wrote', ...lines, ...there, '', `Next: ${enter}npx tessera dev`].join('\n')}\n`;
}
