/** What `tessera dev` shows when its server has started. */
import { VERSION } from '../../base/package-version.js';
import type { DevConnection } from '../client/dev-connection.js';
import { DATA_FOLDER } from './configuration.js';

/** The addresses, and how to reach them. */
export function devScreen({ endpoint, user, pass, ns, db }: DevConnection): string {
  const studio = `${endpoint}/studio`;
  const clients = `${endpoint.replace(/^http/, 'ws')}/rpc`.padEnd(studio.length);
  return `
  Tessera ${VERSION}

  Studio   ${studio}   user ${user}, password ${pass}
  Clients  ${clients}   namespace ${ns}, database ${db}
  Shell    npx tessera sql
  Data     ${DATA_FOLDER}

  Migrations are applied when they change. Ctrl-C ends the server.

`;
}
