/** The real stack over memory, with GraphQL on top. */
import { DEFAULT_RULES } from '../../src/auth/attempts/throttle-rules.js';
import { type GraphqlOptions, GraphqlService } from '../../src/graphql/service.js';
import { createGraphqlHandler } from '../../src/graphql/transports/handler.js';
import type { Statement } from '../../src/language/ast.js';
import type { Session, StatementExecutor } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';

export interface Stack {
  readonly database: OpenDatabase;
  readonly owner: Session;
  readonly service: GraphqlService;
  /** How often statements were sent to the owner's session, how many, and how many requests held a snapshot. */
  readonly sent: { calls: number; statements: number; snapshots: number };
  /** These statements. */
  readonly last: Statement[];
  /** The standard answer. */
  ask(query: string, variables?: object, session?: Session): Promise<Answer>;
  /** Its data. @throws Error of an answer with errors */
  data(query: string, variables?: object, session?: Session): Promise<Answer['data']>;
}

export interface Answer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly (string | number)[];
    readonly locations?: readonly object[];
    readonly extensions: { readonly code: string };
  }[];
}

/** `setup` is run by an owner. */
export async function openStack(setup: string, options: GraphqlOptions = {}): Promise<Stack> {
  // After too many failures an attempt is refused at once.
  const throttle = { ...DEFAULT_RULES, longestWait: 0 };
  const database = await openDatabase(await openEngine('memory'), { guests: true, authentication: { throttle } });
  const owner = database.ownerSession();
  await owner.use('test', 'test');
  for (const { outcome } of await owner.query(setup)) if (!outcome.ok) throw outcome.error;
  const service = new GraphqlService(options);
  const handle = createGraphqlHandler(service, 'standard');
  const sent = { calls: 0, statements: 0, snapshots: 0 };
  const last: Statement[] = [];
  const watch = <D extends Pick<StatementExecutor, 'execute'>>(door: D): D => {
    const execute = door.execute.bind(door);
    door.execute = (statements, ...others) => {
      sent.calls += 1;
      sent.statements += statements.length;
      last.push(...statements);
      return execute(statements, ...others);
    };
    return door;
  };
  watch(owner);
  const begin = owner.begin.bind(owner);
  owner.begin = async (options) => watch(await begin(options));
  const catalogSnapshot = owner.catalogSnapshot.bind(owner);
  owner.catalogSnapshot = async (activity) => {
    const definitions = await catalogSnapshot(activity);
    const hold = async () => {
      sent.snapshots += 1;
      return watch(await definitions.hold());
    };
    return watch({ ...definitions, hold });
  };
  const ask: Stack['ask'] = async (query, variables, session = owner) => {
    const { body } = await handle({
      session,
      accept: 'application/graphql-response+json',
      contentType: 'application/json',
      body: JSON.stringify({ query, variables }),
    });
    return JSON.parse(body) as Answer;
  };
  const data: Stack['data'] = async (...request) => {
    const { data, errors } = await ask(...request);
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
    return data;
  };
  return { database, owner, service, sent, last, ask, data };
}
