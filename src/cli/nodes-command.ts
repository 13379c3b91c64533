/** The command that lists the nodes of a store. */
import type { Command } from 'commander';
import { addConnectionOptions } from './client/connection.js';
import { Flag } from './flags.js';
import type { NodesOptions } from './nodes.js';

export function addNodesCommand(program: Command): void {
  addConnectionOptions(program.command('nodes').description('List the servers that use the same store as a server'))
    .addOption(new Flag('--json', 'Print them as JSON'))
    .addHelpText('after', EXAMPLES)
    .action(async (options: NodesOptions) => {
      const { runNodes } = await import('./nodes.js');
      await runNodes(options, process.stdout);
    });
}

const EXAMPLES = `
It asks INFO FOR NODES, which users of the root may.

Examples:
  tessera nodes --user root --pass secret
  tessera nodes --user root --pass secret --json | jq -r '.[].version'`;
