/** A real server in this process, over memory, on a free port. */

import { type Log, SILENT } from '../../src/http/base/log.js';
import { readConfiguration } from '../../src/server/configuration.js';
import { openConfigured, prepareDatabase } from '../../src/server/open.js';
import type { Tracing } from '../../src/server/otlp.js';
import { type RunningServer, startServer } from '../../src/server/server.js';

export const ROOT = { username: 'root', password: 'a root password' } as const;

/** Settings are given as environment variables. */
export async function startTestServer(
  environment: Readonly<Record<string, string>> = {},
  { log = SILENT, tracing }: { readonly log?: Log; readonly tracing?: Tracing | undefined } = {},
): Promise<RunningServer> {
  const configuration = readConfiguration(() => undefined, {
    SVC_PATH: 'memory',
    SVC_BIND: '127.0.0.1:0',
    SVC_USER: ROOT.username,
    SVC_PASS: ROOT.password,
    ...environment,
  });
  const database = await openConfigured(configuration, log);
  const prepared = prepareDatabase(database, configuration);
  return startServer(configuration, { database, log, tracing, prepared });
}
