/**
 * A server that speaks enough of PostgreSQL's protocol (documentation, chapter "Message Formats") to be asked what it is: each query has an answer of
 * one row and one column, and other statements succeed.
 */
import { createServer, type Socket } from 'node:net';

export interface FakePostgres {
  readonly port: number;
  /** The statements that it was sent, in order. */
  readonly received: readonly string[];
  close(): Promise<void>;
}

export function startFakePostgres(answers: Readonly<Record<string, string>>): Promise<FakePostgres> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    serve(socket, answers, received);
  });
  const close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      resolve({ port, received, close });
    });
  });
}

function serve(socket: Socket, answers: Readonly<Record<string, string>>, received: string[]): void {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  let query = '';
  const replies: Readonly<Record<string, (body: Buffer) => Buffer[]>> = {
    // Parse: the name of the statement, then its text.
    P: (body) => {
      query = body.toString('utf8').split('\0')[1]!;
      received.push(query);
      return [message('1')];
    },
    B: () => [message('2')],
    D: () => [message('T', ROW_DESCRIPTION)],
    E: () => [message('D', dataRow(answers[query] ?? '')), message('C', Buffer.from('SELECT 1\0'))],
    S: () => [READY],
    Q: (body) => {
      received.push(body.toString('utf8', 0, body.length - 1));
      return [message('C', Buffer.from('SET\0')), READY];
    },
  };
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      // The first message has no type.
      const head = isStarted ? 1 : 0;
      if (rest.length < head + 4) return;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return;
      const type = rest.toString('latin1', 0, head);
      const body = rest.subarray(head + 4, end);
      rest = rest.subarray(end);
      const reply = isStarted ? replies[type]?.(body) : [message('R', Buffer.alloc(4)), READY];
      isStarted = true;
      socket.write(Buffer.concat(reply ?? []));
    }
  });
}

function message(type: string, body: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

const READY = message('Z', Buffer.from('I'));
/** One column of type `text`, in binary format. */
const ROW_DESCRIPTION = Buffer.concat([
  Buffer.from([0, 1]),
  Buffer.from('answer\0'),
  Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 255, 255, 255, 255, 255, 255, 0, 1]),
]);

function dataRow(value: string): Buffer {
  const bytes = Buffer.from(value);
  const head = Buffer.from([0, 1, 0, 0, 0, 0]);
  head.writeInt32BE(bytes.length, 2);
  return Buffer.concat([head, bytes]);
}
