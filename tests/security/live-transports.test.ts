/** The attacks on live queries once more, through every transport of notifications. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { EmbeddedSession } from '../../src/embedded/embedded-session.js';
import type { Session } from '../../src/session/contract.js';
import { type BodyFormat, CBOR, JSON_FORMAT } from '../../src/value/codecs/formats.js';
import { toText } from '../../src/value/text/text.js';
import { isObject, objectFrom } from '../../src/value/value.js';
import { LiveServer, quiet } from '../support/graphql-live-server.js';
import { run } from '../support/world.js';

/** A client that listens to the table note and selects all of its fields. */
interface Listener {
  /** All that was said to it, as text. */
  readonly heard: string[];
  /** The id of its live query, where there is one to be seen. */
  readonly id?: string;
  /** Tries to end the live query with an id, and gives the answer. */
  kill?(id: string): Promise<string>;
  /** Goes on as the bearer of another token. */
  become?(token: string): Promise<void>;
}

type Door = (session: Session) => Promise<Listener>;

let server: LiveServer;
const closers: (() => unknown)[] = [];
beforeEach(async () => {
  server = await LiveServer.open();
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await server.close();
});

const tokenOf = (session: Session) => server.world.tokenOf(session) ?? '';

/** RPC over a WebSocket. */
const rpc =
  (format: BodyFormat): Door =>
  async (session) => {
    const socket = new WebSocket(`ws://${server.address}/rpc`, [format.name]);
    closers.push(() => socket.terminate());
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const heard: string[] = [];
    const waiting: ((text: string) => void)[] = [];
    socket.on('message', (data: Buffer) => {
      const message = format.decode(data);
      if (!isObject(message)) throw new Error('a message is an object');
      const text = toText(message);
      // Answers have the id of their request, and come in the order of these.
      if (message['id'] === undefined || message['id'] === null) heard.push(text);
      else waiting.shift()?.(text);
    });
    let last = 0;
    const call = (method: string, ...params: string[]) =>
      new Promise<string>((resolve) => {
        waiting.push(resolve);
        socket.send(format.encode(objectFrom({ id: ++last, method, params })));
      });
    const become = async (token: string) => {
      expect(await call('authenticate', token)).not.toContain('error');
    };
    await become(tokenOf(session));
    await call('use', 'test', 'test');
    const answer = await call('live', 'note');
    const [id = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(answer) ?? [];
    return { heard, id, become, kill: (other) => call('kill', other) };
  };

const EVERYTHING = 'subscription { note { action id record { text public owner { id } size secret } } }';

const DOORS: Readonly<Record<string, Door>> = {
  'WebSocket, JSON': rpc(JSON_FORMAT),
  'WebSocket, CBOR': rpc(CBOR),

  async 'GraphQL, WebSocket'(session) {
    const { say, heard } = await server.socket();
    const texts: string[] = [];
    say({ type: 'connection_init', payload: { token: tokenOf(session) } });
    await expect.poll(() => heard).toHaveLength(1);
    say({ id: 'mine', type: 'subscribe', payload: { query: EVERYTHING } });
    await expect.poll(() => server.lives()).not.toEqual([]);
    heard.push = (...messages) => texts.push(...messages.map((message) => JSON.stringify(message)));
    const kill = async (id: string) => {
      say({ id, type: 'complete' });
      await quiet();
      return 'error';
    };
    return { heard: texts, kill };
  },

  async 'GraphQL, events'(session) {
    const abort = new AbortController();
    closers.push(() => abort.abort());
    const answer = await fetch(`http://${server.address}/graphql`, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${tokenOf(session)}`,
        'svc-ns': 'test',
        'svc-db': 'test',
      },
      body: JSON.stringify({ query: EVERYTHING }),
      signal: abort.signal,
    });
    const heard: string[] = [];
    void (async () => {
      const decoder = new TextDecoder();
      try {
        for await (const chunk of answer.body ?? []) heard.push(decoder.decode(chunk, { stream: true }));
      } catch {
        // Given up.
      }
    })();
    await expect.poll(() => server.lives()).not.toEqual([]);
    return { heard };
  },

  async 'in process'(session) {
    const embedded = new EmbeddedSession(session);
    await embedded.use('test', 'test');
    const heard: string[] = [];
    const { id } = await embedded.live('LIVE SELECT * FROM note', ({ action, record, result }) => {
      heard.push(toText([action, record, result]));
    });
    return {
      heard,
      id: id.text,
      become: (token) => embedded.authenticate(token),
      kill: (other) => embedded.query(`KILL u'${other}'`).then(toText, (error: Error) => `error: ${error.message}`),
    };
  },
};

const owner = (text: string) => run(server.world.owner, text);
const SECRETS = /of bob|s3cret/;

describe.each(Object.entries(DOORS))('%s', (_name, open) => {
  it('reveals nothing of rows and fields that the subscriber may not see', async () => {
    const { heard } = await open(await server.world.person('ann'));
    await owner("CREATE note:1 SET owner = user:bob, text = 'of bob', secret = 's3cret'; UPDATE note:1 SET size = 1");
    await quiet();
    expect(heard).toEqual([]);
    await owner("CREATE note:2 SET owner = user:ann, text = 'of ann', secret = 's3cret'");
    await expect.poll(() => heard.join()).toContain('of ann');
    const before = heard.length;
    await owner("UPDATE note:2 SET secret = 's3cret too'; UPDATE note:2 SET secret = NONE");
    await owner("UPDATE note:2 SET owner = user:bob, text = 'of bob now'; DELETE note:1, note:2");
    await owner("CREATE note:3 SET owner = user:ann, text = 'the last'");
    await expect.poll(() => heard.join()).toContain('the last');
    expect(heard.join('\n')).not.toMatch(SECRETS);
    expect(heard.slice(before).join('\n')).not.toContain('note:2');
  });

  it('ends nothing for a user who knows the id of another’s', async () => {
    const ann = await open(await server.world.person('ann'));
    const bob = await open(await server.world.person('bob'));
    const id = ann.id ?? 'mine';
    if (bob.kill !== undefined) expect(await bob.kill(id)).toContain('error');
    await owner("CREATE note:1 SET owner = user:ann, text = 'of ann'");
    await expect.poll(() => ann.heard.join()).toContain('of ann');
    expect(bob.heard.join()).not.toContain('of ann');
  });

  it('sends nothing to a session that was ended', async () => {
    const { heard } = await open(await server.world.person('ann'));
    await owner("CREATE note:1 SET owner = user:ann, text = 'before'");
    await expect.poll(() => heard.join()).toContain('before');
    await owner('KILL SESSIONS FOR RECORD user:ann');
    await owner("CREATE note:2 SET owner = user:ann, text = 'after', public = true");
    await expect.poll(() => server.lives()).toEqual([]);
    await quiet();
    expect(heard.join()).not.toContain('after');
  });

  it('sends nothing more once another user has signed in', async () => {
    const ann = await server.world.person('ann');
    const { heard, become } = await open(ann);
    if (become === undefined) return;
    await become(tokenOf(await server.world.person('bob')));
    await owner(
      "CREATE note:1 SET owner = user:ann, text = 'of ann'; CREATE note:2 SET owner = user:bob, text = 'of bob'",
    );
    await expect.poll(() => server.lives()).toEqual([]);
    await quiet();
    expect(heard.join()).not.toMatch(/of ann|of bob/);
  });

  it('judges each change by the rights of then', async () => {
    const { heard } = await open(await server.world.person('ann'));
    await owner("CREATE note:1 SET owner = user:ann, text = 'seen'");
    await expect.poll(() => heard.join()).toContain('seen');
    await owner('DEFINE TABLE OVERWRITE note PERMISSIONS NONE');
    await owner("UPDATE note:1 SET text = 'forbidden'");
    await quiet();
    expect(heard.join()).not.toContain('forbidden');
  });
});

it('HTTP sends no changes, and begins no live query', async () => {
  const ann = await server.world.person('ann');
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${tokenOf(ann)}`,
    'content-type': 'application/json',
    'svc-ns': 'test',
    'svc-db': 'test',
  };
  const ask = async (path: string, body: string) => {
    const answer = await fetch(`http://${server.address}${path}`, { method: 'POST', headers, body });
    return answer.text();
  };
  for (const told of [
    await ask('/sql', 'LIVE SELECT * FROM note'),
    await ask('/rpc', JSON.stringify({ id: 1, method: 'live', params: ['note'] })),
    await ask('/rpc', JSON.stringify({ id: 1, method: 'query', params: ['LIVE SELECT * FROM note'] })),
    await ask('/graphql', JSON.stringify({ query: EVERYTHING })),
  ]) {
    expect(told).toMatch(/"error"|"ERR"|"errors"/);
  }
  expect(await server.lives()).toEqual([]);
});
