/** `tessera seed`: runs a file of statements in one transaction, so that a part of it never stays. */
import type { RpcClient } from './client/rpc-client.js';
import { CommandError } from './command-error.js';
import { commitUnlessLost, runMigration } from './migrate/apply.js';
import { readMigration } from './migrate/files.js';
import { withConnection } from './migrate/run.js';
import type { TargetOptions } from './target-options.js';

/** @throws CommandError with the place of what failed, of which nothing stays; as `withTarget`; of the file system */
export async function runSeed(file: string, options: TargetOptions): Promise<void> {
  const seed = readMigration(file, file);
  await withConnection(options, (client: RpcClient) => {
    const done = commitUnlessLost(client, (transaction) => runMigration(client, seed, transaction));
    return done.then((isDone) => {
      if (!isDone) throw new CommandError(`${file}: it conflicts with other transactions; nothing of it stays`);
    });
  });
}
