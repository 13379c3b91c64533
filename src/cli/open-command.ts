/** `tessera open`: the Studio of a server, in a browser. */
import type { Command } from 'commander';
import { DEFAULT_ENDPOINT } from './client/connection.js';
import { Flag } from './flags.js';

export function addOpenCommand(program: Command): void {
  program
    .command('open')
    .description('Open the Studio in a browser, and print its address')
    .addOption(
      new Flag('-e, --endpoint <url>', 'The server: ws://, wss://, http:// or https://').default(DEFAULT_ENDPOINT),
    )
    .addHelpText(
      'after',
      `
Without a screen, or over SSH, the address is printed alone. The variable BROWSER names another program.

Examples:
  tessera open
  tessera open --endpoint https://db.example`,
    )
    .action(async ({ endpoint }: { readonly endpoint: string }) => {
      const { openStudio } = await import('./open-studio.js');
      await openStudio(endpoint, process.stdout);
    });
}
