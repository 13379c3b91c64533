/**
 * Bytes that arrive one by one, and an end that never comes. The reader of a socket holds no more than four bytes of
 * memory for each, besides a constant for each connection.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ByteCollector } from '../../src/base/byte-collector.js';
import { bodyText } from '../../src/cli/client/http-client.js';
import { realNetwork } from '../../src/env/real.js';
import { GraphqlService } from '../../src/graphql/service.js';
import { createGraphqlHandler } from '../../src/graphql/transports/handler.js';
import { createGraphqlSocket } from '../../src/graphql/transports/transport-ws.js';
import { createHttpServer } from '../../src/http/server.js';
import { StatementStream } from '../../src/language/statement-stream.js';
import { S3Blobs } from '../../src/storage/backup/s3-blobs.js';
import { retainedMemory } from '../support/retained-memory.js';
import { World } from '../support/world.js';

const MOST_FOR_A_BYTE = 4;
/** For each connection: both ends of it are in this process. */
const CONSTANT = 24 * 1024;
const CONNECTIONS = 10;

/** What `fill` leaves in memory, which is compared with the bytes that it says it has sent. */
async function expectLittle(fill: () => Promise<number>, holders = CONNECTIONS): Promise<void> {
  const before = await retainedMemory();
  const bytes = await fill();
  const growth = (await retainedMemory()) - before;
  expect(growth).toBeLessThan(MOST_FOR_A_BYTE * bytes + CONSTANT * holders);
}

/** Writes a piece to each socket, again and again, so that each piece arrives by itself. */
async function trickle(sockets: readonly Socket[], piece: Buffer | string, times: number): Promise<void> {
  for (let done = 0; done < times; done++) {
    for (const socket of sockets) socket.write(piece);
    await new Promise(setImmediate);
  }
}

describe('a body in chunks of a byte, a frame byte by byte, a message in fragments of a byte', () => {
  let world: World;
  let app: FastifyInstance;
  let token: string;
  let sockets: Socket[] = [];
  /** The server's ends. */
  let accepted: Socket[] = [];

  beforeEach(async () => {
    sockets = [];
    accepted = [];
    world = await World.open();
    token = world.tokenOf(await world.systemUser('DO')) as string;
    const service = new GraphqlService();
    app = createHttpServer({
      database: world.database,
      graphql: createGraphqlHandler(service, 'standard'),
      graphqlSocket: createGraphqlSocket(service, () => undefined),
    });
    app.server.on('connection', (socket) => accepted.push(socket));
    await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await app.close();
    await world.close();
  });

  /** Whether everything has arrived, but for what is sent to a connection that was closed. */
  const isReceived = () =>
    accepted.length === sockets.length &&
    accepted.every(({ bytesRead, destroyed }, at) => destroyed || bytesRead === sockets[at]?.bytesWritten);

  async function open(head: readonly string[]): Promise<void> {
    for (let count = 0; count < CONNECTIONS; count++) {
      const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
      socket.setNoDelay(true).on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
    }
    await expect.poll(isReceived).toBe(true);
  }

  const bearer = () => `authorization: Bearer ${token}`;
  /** Its password is verified when the test is over. */
  const awaited = () => `authorization: Basic ${Buffer.from('DO:wrong').toString('base64')}`;
  const none = () => 'x-nothing: at all';
  const SELECTED = ['surreal-ns: test', 'surreal-db: test', 'surreal-auth-ns: test', 'surreal-auth-db: test'];

  it.each([
    ['/sql', 'a stranger', none],
    ['/rpc', 'a stranger', none],
    ['/graphql', 'a stranger', none],
    ['/signin', 'a stranger', none],
    ['/api/test/test/x', 'a stranger', none],
    ['/sql', 'a user', bearer],
    ['/rpc', 'a user', bearer],
    ['/graphql', 'a user', bearer],
    ['/import', 'a user', bearer],
    ['/nowhere', 'a stranger', none],
    ['/sql', 'one whose password is being verified', awaited],
  ])('%s, of %s', async (route, _who, authorization) => {
    const pieces = 10_000;
    await open([
      `POST ${route} HTTP/1.1`,
      'host: x',
      'accept: application/json',
      'content-type: application/json',
      authorization(),
      ...SELECTED,
      'transfer-encoding: chunked',
    ]);
    await expectLittle(async () => {
      for (const socket of sockets) socket.write('1\r\nx\r\n'.repeat(pieces));
      await expect.poll(isReceived).toBe(true);
      return pieces * CONNECTIONS;
    });
  });

  it('requests that wait behind others', async () => {
    const head = ['POST /sql HTTP/1.1', 'host: x', 'accept: application/json', bearer(), ...SELECTED];
    await open([...head, 'content-length: 13', '', 'SLEEP 1000ms;']);
    const pieces = 10_000;
    await expectLittle(async () => {
      const chunked = `${[...head, 'transfer-encoding: chunked'].join('\r\n')}\r\n\r\n`;
      for (const socket of sockets) socket.write(chunked + '1\r\nx\r\n'.repeat(pieces));
      await expect.poll(isReceived).toBe(true);
      return pieces * CONNECTIONS;
    });
  });

  const upgrade = (path: string, protocol: string, authorization: () => string) => [
    `GET ${path} HTTP/1.1`,
    'host: x',
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    `sec-websocket-protocol: ${protocol}`,
    authorization(),
  ];

  describe.each([
    ['/rpc', 'json', 'a stranger', none],
    ['/rpc', 'json', 'a user', bearer],
    ['/graphql', 'graphql-transport-ws', 'a stranger', none],
  ])('%s, in %s, of %s', (path, protocol, _who, authorization) => {
    const BYTES = 2_500;

    it('in one frame', async () => {
      await open(upgrade(path, protocol, authorization));
      const head = Buffer.from([0x81, 0xfe, 0xf0, 0x00, 0, 0, 0, 0]);
      await expectLittle(async () => {
        for (const socket of sockets) socket.write(head);
        await trickle(sockets, 'x', BYTES);
        await expect.poll(isReceived).toBe(true);
        return BYTES * CONNECTIONS;
      });
    });

    it('in fragments', async () => {
      await open(upgrade(path, protocol, authorization));
      const fragments = 1_000;
      const fragment = (opcode: number) => Buffer.from([opcode, 0x81, 0, 0, 0, 0, 0x20]);
      await expectLittle(async () => {
        await trickle(sockets, fragment(1), 1);
        await trickle(sockets, fragment(0), fragments - 1);
        await expect.poll(isReceived).toBe(true);
        return fragments * fragment(0).length * CONNECTIONS;
      });
    });
  });
});

describe('an answer in chunks of a byte', () => {
  let server: Server;
  let url: URL;
  let finish: () => void;
  let written: Promise<number>;
  const PIECES = 20_000;

  beforeEach(async () => {
    written = new Promise((resolve) => {
      server = createServer((request, response) => {
        if (request.url?.startsWith('/warm-up')) return void response.end('x');
        response.flushHeaders();
        void (async () => {
          for (let done = 0; done < PIECES; done += 10) {
            for (let more = 0; more < 10; more++) response.write('x');
            await new Promise(setImmediate);
          }
          finish = () => response.end();
          resolve(PIECES);
        })();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
  });

  it.each<[string, () => Promise<{ readonly length: number } | undefined>]>([
    [
      'to http::get, and for key sets',
      async () =>
        (
          await realNetwork.exchange({
            url,
            address: '127.0.0.1',
            method: 'GET',
            headers: {},
            body: undefined,
            maxBytes: 2 ** 20,
            signal: new AbortController().signal,
          })
        ).body,
    ],
    [
      'of a store of backups',
      () =>
        new S3Blobs({
          bucket: 'bucket',
          prefix: '',
          endpoint: url.href,
          region: 'x',
          accessKeyId: 'x',
          secretAccessKey: 'x',
          sessionToken: undefined,
        }).read('part', 2 ** 20),
    ],
    [
      'to a command',
      async () => {
        const { get } = await import('node:http');
        const request = get(url);
        return bodyText((await once(request, 'response'))[0]);
      },
    ],
  ])('%s', async (_what, read) => {
    // What is loaded for the first answer isn't counted.
    const measured = url;
    url = new URL('/warm-up', url);
    expect((await read())?.length).toBe(1);
    url = measured;
    let body: Promise<{ readonly length: number } | undefined> | undefined;
    await expectLittle(async () => {
      body = read();
      return written;
    }, 20);
    finish();
    expect((await body)?.length).toBe(PIECES);
  });
});

describe('a text in pieces of a character', () => {
  it.each(['x', 'я'])('that is imported: %s', async (character) => {
    const stream = new StatementStream({ depth: 100, length: 2 ** 24 });
    const pieces = 200_000;
    await expectLittle(async () => {
      stream.push('RETURN ');
      for (let done = 0; done < pieces; done++) {
        stream.push(character);
        [...stream.statements()];
      }
      return pieces;
    });
    expect(stream.weight).toBeGreaterThan(pieces);
  });
});

describe('collected bytes', () => {
  it('are what was appended, in a buffer that is reserved before it grows, by its capacity', () => {
    const reserved: number[] = [];
    const collector = new ByteCollector((capacity) => void reserved.push(capacity));
    const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, at) => at & 255));
    for (const byte of bytes) {
      collector.append(Uint8Array.of(byte));
      expect(collector.capacity).toBe(reserved.at(-1));
    }
    expect(collector.capacity).toBeLessThanOrEqual(2 * bytes.length);
    expect(reserved.length).toBeLessThan(20);
    expect(collector.take()).toEqual(bytes);
    expect([collector.length, collector.capacity]).toEqual([0, 0]);
  });

  it('stay as they are when a reservation is refused', () => {
    const collector = new ByteCollector((capacity) => {
      if (capacity > 10) throw new Error('full');
    });
    collector.append(Buffer.from('0123456789'));
    expect(() => collector.append(Buffer.from('x'))).toThrow('full');
    expect(String(collector.take())).toBe('0123456789');
  });

  it('have no room to spare when their number was announced', () => {
    const collector = new ByteCollector();
    collector.expect(1_000);
    for (let done = 0; done < 1_000; done++) collector.append(Uint8Array.of(1));
    expect(collector.capacity).toBe(1_000);
  });
});
