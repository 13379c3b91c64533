/** `tessera completion`: prints a script that makes a shell complete our commands, made from their definitions. */
import { Argument, type Command } from 'commander';
import { bashScript } from './bash.js';
import { fishScript } from './fish.js';
import { type CommandEntry, commandEntries } from './tree.js';
import { zshScript } from './zsh.js';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } satisfies Record<
  string,
  (commands: readonly CommandEntry[]) => string
>;
type Shell = keyof typeof SCRIPTS;

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print what makes a shell complete commands and options')
    .addArgument(new Argument('<shell>', 'Which shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
Examples:
  source <(tessera completion bash)                                   in ~/.bashrc
  tessera completion zsh > "\${fpath[1]}/_tessera"
  tessera completion fish > ~/.config/fish/completions/tessera.fish`,
    )
    .action((shell: Shell) => {
      process.stdout.write(SCRIPTS[shell](commandEntries(program)));
    });
}
