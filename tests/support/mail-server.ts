/** A real mail server in this process, which keeps what it gets; and one of which each byte is the test's. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { generate } from 'selfsigned';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** For these names, signed by itself: clients that are to trust it take it as an authority. */
export async function certificateFor(...names: readonly string[]): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: names[0] ?? '' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: names.map(altName) }],
  });
  return { key: made.private, cert: made.cert };
}

function altName(name: string) {
  return /^[\d.]+$/.test(name) ? ({ type: 7, ip: name } as const) : ({ type: 2, value: name } as const);
}

export interface ReceivedMail {
  /** Of the envelope. */
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly parsed: ParsedMail;
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
}

export interface TestMailServer {
  readonly port: number;
  readonly received: ReceivedMail[];
  close(): Promise<void>;
}

export interface MailServerOptions extends SMTPServerOptions {
  /** Called when a mail was taken, before that is answered. */
  readonly onTaken?: () => void;
}

/** Without TLS and sign-in, unless the options have them. */
export async function startMailServer({ onTaken, ...options }: MailServerOptions = {}): Promise<TestMailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key === undefined ? ['STARTTLS'] : [],
    closeTimeout: 1,
    onData(stream, { envelope, secure, user }, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('latin1');
        void simpleParser(Buffer.concat(chunks)).then((parsed) => {
          const { mailFrom, rcptTo } = envelope;
          const from = mailFrom === false ? '' : mailFrom.address;
          const to = rcptTo.map(({ address }) => address);
          received.push({ from, to, raw, parsed, isEncrypted: secure, user: user as string | undefined });
          onTaken?.();
          callback(null);
        });
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return { port, received, close: () => new Promise((resolve) => server.close(resolve)) };
}

export interface RawServer {
  readonly port: number;
  /** What clients have sent, over all connections. */
  said(): string;
  readonly connections: number;
  close(): Promise<void>;
}

/** A server that does with each connection what the test says; `talk` gets each line of the client. */
export async function startRawServer(
  greet: (socket: Socket) => void,
  talk: (line: string, socket: Socket) => void = () => undefined,
): Promise<RawServer> {
  let said = '';
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    let rest = '';
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1');
      const lines = (rest + chunk.toString('latin1')).split('\r\n');
      rest = lines.pop() as string;
      for (const line of lines) talk(line, socket);
    });
    greet(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    said: () => said,
    get connections() {
      return connections;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
