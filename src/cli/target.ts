/** The database of a command that works with a server, or with a store that no server has open. */
import { describeKey } from '../catalog/keys/describe-key.js';
import { RpcConnection, type SessionOpener } from '../rpc/connection.js';
import { ConfigurationError } from '../server/setting.js';
import { openDatabase } from '../session/database/database.js';
import type { Engine } from '../storage/contract.js';
import { openEngine } from '../storage/open/open.js';
import { CBOR } from '../value/codecs/formats.js';
import { isArray, isObject, type ObjectValue, type Value } from '../value/value.js';
import { connectAs } from './client/connection.js';
import { envelope, type RpcClient, reasonOf, unwrapResult } from './client/rpc-client.js';
import { ServerError } from './client/server-error.js';
import type { TargetOptions } from './target-options.js';

/**
 * Runs `work` with the selected database.
 * @throws ConfigurationError without a namespace and a database; ServerError; TesseraError as `openEngine` does
 */
export async function withTarget<T>(options: TargetOptions, work: (client: RpcClient) => Promise<T>): Promise<T> {
  const { store, ns, db } = options;
  if (ns === undefined || db === undefined) throw new ConfigurationError('--ns and --db must name a database');
  if (store !== undefined) return withStore(store, { ns, db }, work);
  const client = await connectAs(options);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

/** Runs `work` with a store of this process, with the rights of an owner. @throws TesseraError as `openEngine` does */
export async function withStore<T>(
  address: string,
  selected: { readonly ns: string; readonly db: string },
  work: (client: RpcClient) => Promise<T>,
): Promise<T> {
  return withEngine(await openEngine(address, { describeKey }), selected, work);
}

/** The same with an engine that is open; it is closed then. */
export async function withEngine<T>(
  engine: Engine,
  { ns, db }: { readonly ns: string; readonly db: string },
  work: (client: RpcClient) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(engine).catch(async (error: unknown) => {
    await engine.close();
    throw error;
  });
  const opener: SessionOpener = {
    session: (_, connection) => database.ownerSession(connection),
    check: () => database.check(),
  };
  const rpc = new RpcConnection(opener, {});
  try {
    const client = new LocalClient(rpc);
    await client.call('use', ns, db);
    return await work(client);
  } finally {
    rpc.close();
    await database.close();
  }
}

class LocalClient implements RpcClient {
  readonly isOpen = true;

  constructor(private readonly rpc: RpcConnection) {}

  async call(method: string, ...params: Value[]): Promise<Value> {
    return unwrapResult(await this.rpc.handle(envelope(0, method, params, undefined), CBOR));
  }

  async query(text: string, transaction?: Value): Promise<Value> {
    return unwrapResult(await this.rpc.handle(envelope(0, 'query', [text], transaction), CBOR));
  }

  close(): void {
    this.rpc.close();
  }
}

/** The values of the statements of a text. @throws ServerError of the first one that failed */
export async function valuesOf(client: RpcClient, text: string, transaction?: Value): Promise<Value[]> {
  return readStatementResults(await client.query(text, transaction)).map((entry) => {
    if (entry.status === 'OK') return entry.result;
    throw statementError(entry);
  });
}

/** The result of each statement: `{ status, result }`. */
export function readStatementResults(answer: Value): ObjectValue[] {
  return (isArray(answer) ? answer : []).filter(isObject);
}

/** The error of a statement that failed, from its result (`{ status, result }`). */
export function statementError(entry: ObjectValue): ServerError {
  return new ServerError(String(entry.result), { reason: reasonOf(entry) });
}
