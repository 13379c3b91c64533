/** Compares the definitions in the files of migrations with those of a database. */
import type { RpcClient } from '../client/rpc-client.js';
import { withStore } from '../target.js';
import { runMigration } from './apply.js';
import { type Definitions, readDefinitions } from './definitions.js';
import type { Migration } from './files.js';

export interface Difference {
  /** `field name ON person`. */
  readonly what: string;
  /** The definition of the files; absent where they have none. */
  readonly files?: string;
  /** The definition of the database; absent where it has none. */
  readonly database?: string;
}

/** @throws CommandError where a file fails in an empty database; ServerError */
export async function diffMigrations(client: RpcClient, files: readonly Migration[]): Promise<Difference[]> {
  const [wanted, present] = [await definitionsOf(files), await readDefinitions(client)];
  return [...new Set([...wanted.keys(), ...present.keys()])].sort().flatMap((what) => {
    const [inFiles, inDatabase] = [wanted.get(what), present.get(what)];
    if (inFiles === inDatabase) return [];
    return [
      {
        what,
        ...(inFiles !== undefined && { files: inFiles }),
        ...(inDatabase !== undefined && { database: inDatabase }),
      },
    ];
  });
}

/** The definitions after applying all files to an empty database, computed in memory. */
function definitionsOf(files: readonly Migration[]): Promise<Definitions> {
  return withStore('memory', { ns: 'migrations', db: 'migrations' }, async (client) => {
    for (const migration of files) {
      const transaction = await client.call('begin');
      await runMigration(client, migration, transaction);
      await client.call('commit', transaction);
    }
    return readDefinitions(client);
  });
}
