/** A node that stood still for so long that others have removed what the store had of it, and goes on. */
import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CatalogCache } from '../../src/catalog/definitions/load.js';
import { WATCH_TIME } from '../../src/catalog/live/watched-tables.js';
import { SIGNALS_KEPT_FOR } from '../../src/catalog/nodes/signals.js';
import { Retention } from '../../src/session/background/retention.js';
import type { Session } from '../../src/session/contract.js';
import { LiveRetention } from '../../src/session/nodes/live-retention.js';
import { NODE_RENEWAL_INTERVAL, REMOVAL_TIME } from '../../src/session/nodes/membership.js';
import { objectFrom, type Uuid } from '../../src/value/value.js';
import type { StubbedEnvironment } from '../support/environment.js';
import { type DatabaseNode, NodeDatabases } from '../support/node-databases.js';
import { failureOf, live, PEOPLE, run, settled, shown, signUp, type TwoNodes, twoNodes } from './two-nodes.js';

describe('After less time than changes are kept', () => {
  let nodes: NodeDatabases;
  let here: DatabaseNode;
  let away: DatabaseNode;
  let heard: string[];
  beforeEach(async () => {
    nodes = new NodeDatabases();
    [here, away] = [await nodes.join(), await nodes.join()];
    await nodes.ask(here, `DEFINE TABLE a; ${PEOPLE}`);
    heard = [];
    away.owner.listen((each) => void heard.push(shown(each)));
  });
  afterEach(() => nodes.close());

  const lives = () => nodes.ask(here, 'object::values((INFO FOR TABLE a).lives)');
  const sessions = () => nodes.ask(here, "(INFO FOR SESSIONS)[WHERE level = 'record'].user");

  async function removed(): Promise<void> {
    await nodes.during(run(away.owner, 'LIVE SELECT VALUE n FROM a; LIVE SELECT n FROM a'));
    const session = away.database.session({});
    session.listen(() => undefined);
    await nodes.during(session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name: 'ann' })));
    await nodes.pass(100);
    expect((await lives()).match(/LIVE/g)).toHaveLength(2);
    expect(await sessions()).toBe('[user:ann]');
    away.process.pause();
    await nodes.pass(REMOVAL_TIME + 2 * NODE_RENEWAL_INTERVAL);
    expect([await lives(), await sessions()]).toEqual(['[]', '[]']);
  }

  test('its live queries and its sessions are known again, to be listed and ended', async () => {
    await removed();
    away.process.resume();
    await nodes.pass(2 * NODE_RENEWAL_INTERVAL);
    expect((await lives()).match(/LIVE/g)).toHaveLength(2);
    expect(await sessions()).toBe('[user:ann]');
    const ids = (await nodes.ask(here, 'object::keys((INFO FOR TABLE a).lives)')).matchAll(/'([0-9a-f-]+)'/g);
    for (const [, id] of ids) await nodes.ask(here, `KILL u'${id}'`);
    await nodes.ask(here, 'KILL SESSIONS FOR RECORD user:ann');
    await nodes.pass(200);
    expect(heard).toEqual(['KILLED', 'KILLED']);
    expect([await lives(), await sessions()]).toEqual(['[]', '[]']);
    expect([...here.reported, ...away.reported]).toEqual([]);
  });

  test('they receive what was changed meanwhile', async () => {
    await removed();
    await nodes.ask(here, 'CREATE a:1 SET n = 1');
    away.process.resume();
    await nodes.pass(2 * NODE_RENEWAL_INTERVAL);
    await nodes.ask(here, 'CREATE a:2 SET n = 2');
    await nodes.pass(200);
    expect(heard).toEqual(['CREATE a:1 1', 'CREATE a:1 { n: 1 }', 'CREATE a:2 2', 'CREATE a:2 { n: 2 }']);
  });

  test('those that have ended meanwhile are not noted again', async () => {
    await removed();
    away.owner.close();
    away.process.resume();
    await nodes.pass(2 * NODE_RENEWAL_INTERVAL);
    expect(await lives()).toBe('[]');
  });
});

describe('After so much time that its tables are no longer watched', () => {
  let nodes: TwoNodes;
  let retention: Retention;
  let heard: string[];
  beforeEach(async () => {
    nodes = await twoNodes();
    const { environment, a, b } = nodes;
    const services = { engine: b.engine, environment, report: () => undefined, leases: undefined };
    retention = new Retention(services, new LiveRetention(new CatalogCache(), environment));
    heard = [];
    await run(a.owner, 'DEFINE TABLE a');
    a.owner.listen((each) => void heard.push(shown(each)));
    b.owner.listen(() => undefined);
    await live(a.owner, 'LIVE SELECT VALUE n FROM a');
    await retention.prune();
    a.engine.cut();
    environment.advance(WATCH_TIME);
    await settled();
    await retention.prune();
    // Nothing notes this change.
    await run(b.owner, 'CREATE a:1 SET n = 1');
  });
  afterEach(() => retention.stop());

  async function comesBack(): Promise<void> {
    nodes.a.engine.restore();
    nodes.environment.advance(NODE_RENEWAL_INTERVAL);
    await settled();
    nodes.environment.advance(NODE_RENEWAL_INTERVAL);
    await settled();
  }

  test('its live queries end and say why', async () => {
    await comesBack();
    expect(heard).toEqual(['KILLED live_queries_behind']);
  });

  test('they do so, too, where the table is watched again by then', async () => {
    await live(nodes.b.owner, 'LIVE SELECT VALUE n FROM a');
    await run(nodes.b.owner, 'CREATE a:2 SET n = 2');
    await comesBack();
    expect(heard).toEqual(['KILLED live_queries_behind']);
  });

  test('and so they do when a new one begins there before that is noticed', async () => {
    await live(nodes.b.owner, 'LIVE SELECT VALUE n FROM a');
    nodes.a.engine.restore();
    await nodes.a.engine.shared.catchUp();
    await live(nodes.a.owner, 'LIVE SELECT VALUE n FROM a');
    await run(nodes.b.owner, 'CREATE a:2 SET n = 2');
    await settled();
    expect(heard).toEqual(['KILLED live_queries_behind', 'CREATE a:2 2']);
  });
});

const SECRET = 'a key that is shared with an issuer elsewhere';

/** As another issuer may make them: without `jti`. */
function tokenWithoutId({ clock }: StubbedEnvironment): Promise<string> {
  const expiry = Number(clock.now() / 1_000_000_000n) + 7_200;
  return new SignJWT({ NS: 'test', DB: 'test', AC: 'outside', RL: ['Editor'], exp: expiry })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(SECRET));
}

describe('After more time than signals are kept', () => {
  let nodes: TwoNodes;
  beforeEach(async () => {
    nodes = await twoNodes();
    await run(nodes.a.owner, `${PEOPLE}; DEFINE ACCESS outside ON DATABASE TYPE JWT ALGORITHM HS256 KEY '${SECRET}'`);
  });

  /** A lasting session on the node that will be away, with a token that can't be revoked: one without an id. */
  async function withoutTokenId(): Promise<Session> {
    const session = nodes.b.database.session({});
    session.listen(() => undefined);
    await session.authenticate(await tokenWithoutId(nodes.environment));
    await settled();
    return session;
  }

  const isOpen = async (session: Session) => (await failureOf(() => run(session, 'RETURN 1'))) === 'none';

  /** Ends it from the other node. */
  async function kill(): Promise<void> {
    const [[id]] = (await run(nodes.a.owner, "(INFO FOR SESSIONS)[WHERE access = 'outside'].id")) as unknown as [
      [Uuid],
    ];
    await run(nodes.a.owner, `KILL SESSION u'${id.text}'`);
    await settled();
  }

  async function comesBack(): Promise<void> {
    for (let passed = 0; passed < SIGNALS_KEPT_FOR + 120_000; passed += NODE_RENEWAL_INTERVAL) {
      nodes.environment.advance(NODE_RENEWAL_INTERVAL);
      await settled();
    }
    nodes.b.engine.restore();
    nodes.environment.advance(NODE_RENEWAL_INTERVAL);
    await settled();
  }

  test('a session without a token that was killed meanwhile ends', async () => {
    const [killed, ann] = [await withoutTokenId(), await signUp(nodes.b, 'ann')];
    nodes.b.engine.cut();
    await kill();
    await comesBack();
    expect([await isOpen(killed), await isOpen(ann)]).toEqual([false, true]);
  });

  test('sessions go on where none was, though signals of before were removed', async () => {
    const first = await withoutTokenId();
    await kill();
    const [second, ann] = [await withoutTokenId(), await signUp(nodes.b, 'ann')];
    nodes.b.engine.cut();
    await comesBack();
    expect([await isOpen(first), await isOpen(second), await isOpen(ann)]).toEqual([false, true, true]);
    await kill();
    expect([await isOpen(second), await isOpen(ann)]).toEqual([false, true]);
  });
});
