/** Methods on the connection and its sessions. */
import { failure } from '../../errors/error.js';
import { newObject, Uuid, type Value } from '../../value/value.js';
import { type Method, type RpcCall, wrongKind } from '../method.js';
import { PROTOCOL_VERSION } from '../version.js';

export const connectionMethods: readonly Method[] = [
  { name: 'ping', querying: false, expects: '0 arguments', outOfTurn: true, sessionless: true, run: () => undefined },
  {
    name: 'version',
    querying: false,
    expects: '0 arguments',
    outOfTurn: true,
    most: 0,
    sessionless: true,
    run: () => PROTOCOL_VERSION,
  },
  {
    name: 'health',
    querying: false,
    expects: '0 arguments',
    sessionless: true,
    outOfTurn: true,
    run: ({ connection }) => connection.check().then(() => undefined),
  },
  { name: 'use', querying: true, expects: '(ns, db)', least: 2, most: 2, run: use },
  {
    name: 'reset',
    querying: false,
    expects: '0 arguments',
    run: ({ session }) => {
      session.reset();
      return undefined;
    },
  },
  {
    name: 'attach',
    querying: false,
    expects: '0 arguments',
    sessionless: true,
    run: (call) => {
      call.connection.attach(sessionId(call));
      return undefined;
    },
  },
  {
    name: 'detach',
    querying: false,
    expects: '0 arguments',
    sessionless: true,
    run: (call) => {
      call.connection.detach(sessionId(call));
      return undefined;
    },
  },
  {
    name: 'sessions',
    querying: false,
    expects: '0 arguments',
    sessionless: true,
    outOfTurn: true,
    run: ({ connection }) => connection.attached().map((id) => new Uuid(id)),
  },
];

/** A string selects, NULL clears, NONE keeps. Two NONEs on a fresh session select the server's defaults. */
async function use({ session, connection }: RpcCall, [ns, db]: readonly Value[]): Promise<Value> {
  let namespace = selection('ns', ns);
  let database = selection('db', db);
  const selected = session.identity.databasePath.namespace;
  if (namespace === undefined && database === undefined && selected === undefined) {
    ({ namespace, database } = connection.defaults ?? { namespace, database });
  }
  const within = namespace === undefined ? selected : namespace;
  if (typeof database === 'string' && typeof within !== 'string') throw failure('namespace_empty');
  // A database requires a namespace: clearing the namespace clears both.
  const databasePath = await session.use(namespace, namespace === null ? null : database);
  const result = newObject();
  result.namespace = databasePath.namespace;
  result.database = databasePath.database;
  return result;
}

function selection(name: string, value: Value): string | null | undefined {
  if (value === null || value === undefined || typeof value === 'string') return value;
  throw wrongKind(name, 'string', value);
}

function sessionId({ sessionId }: RpcCall): string {
  if (sessionId === undefined) throw failure('invalid_params', { expected: 'a session ID' });
  return sessionId;
}
