/** s3rver, a server that speaks S3's protocol, behind a gate that verifies signatures. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class S3Server {
  readonly #root: string;
  readonly #process: ChildProcess;
  readonly #gate: Server;
  /**
   * What the next requests meet: a status or the end of their connection before they are passed on, a connection that
   * ends before the answer, or both: `late` is passed on when the test says so. `nothing` is none.
   */
  readonly troubles: (number | 'cut' | 'lost' | 'late' | 'nothing')[] = [];
  readonly #late: (() => Promise<void>)[] = [];

  private constructor(root: string, child: ChildProcess, behind: string) {
    this.#root = root;
    this.#process = child;
    this.#gate = createServer((request, response) => {
      const trouble = this.troubles.shift();
      if (trouble === undefined || trouble === 'nothing') {
        // s3rver closes connections that were idle: the client asks again, as with a store that is busy.
        passOn(behind, request, response).catch(() => response.destroy());
      } else if (trouble === 'lost' || trouble === 'late') {
        void bodyOf(request).then(async (body) => {
          const work = async () => void (await answerOf(behind, request, body));
          if (trouble === 'late') this.#late.push(work);
          else await work();
          request.socket.destroy();
        });
      } else if (trouble === 'cut') request.socket.destroy();
      else request.resume().on('end', () => response.writeHead(trouble).end());
    });
  }

  /** With a bucket of a name. */
  static async start(bucket: string): Promise<S3Server> {
    const root = mkdtempSync(join(tmpdir(), 'tessera-s3-'));
    const program = 'node_modules/s3rver/bin/s3rver.js';
    const options = ['--directory', join(root, 's3'), '--address', '127.0.0.1', '--port', '0'];
    const child = spawn(process.execPath, [program, ...options, '--configure-bucket', bucket], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const behind = await new Promise<string>((resolve, reject) => {
      let text = '';
      const listen = (chunk: Buffer) => {
        text += chunk;
        const found = /listening on (\S+):(\d+)/.exec(text);
        if (found !== null) resolve(`http://${found[1]}:${found[2]}`);
      };
      child.stdout.on('data', listen);
      child.stderr.on('data', listen);
      child.once('close', () => reject(new Error(`s3rver ended: ${text}`)));
    });
    const server = new S3Server(root, child, behind);
    server.#gate.listen(0, '127.0.0.1');
    await once(server.#gate, 'listening');
    return server;
  }

  /** Does what was late. */
  async catchUp(): Promise<void> {
    for (const work of this.#late.splice(0)) await work();
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#gate.address() as AddressInfo).port}`;
  }

  /** The variables of the environment by which it is reached. */
  get variables() {
    return { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: SECRET, AWS_ENDPOINT_URL: this.endpoint };
  }

  async stop(): Promise<void> {
    const closed = once(this.#process, 'close');
    this.#process.kill();
    this.#gate.close();
    await closed;
    rmSync(this.#root, { recursive: true });
  }
}

/** s3rver takes any signature of version 4: it is verified here, before the request is passed on. */
async function passOn(behind: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(request);
  if (!isSigned(request, body)) {
    response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
    return;
  }
  const answer = await answerOf(behind, request, body);
  const answered = Buffer.from(await answer.arrayBuffer());
  const passed = ['content-type', 'content-range', 'content-length', 'etag'].flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  response.writeHead(answer.status, Object.fromEntries(passed)).end(answered);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function answerOf(behind: string, { method = 'GET', headers, url = '' }: IncomingMessage, body: Buffer) {
  const { host: _, connection: __, 'content-length': ___, ...others } = headers as Record<string, string>;
  return fetch(behind + url, { method, headers: others, ...(body.length > 0 && { body: new Uint8Array(body) }) });
}

const SECRET = 'S3RVER';

/** AWS Signature Version 4 (docs.aws.amazon.com, "Signature Calculations for the Authorization Header"). */
function isSigned({ method, headers, url = '' }: IncomingMessage, body: Buffer): boolean {
  const [, scope = '', signed = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const payload = headers['x-amz-content-sha256'];
  if (payload !== createHash('sha256').update(body).digest('hex') || !signed.split(';').includes('host')) return false;
  const [path = '', query = ''] = url.split('?');
  const canonical = [
    method,
    path,
    query.split('&').sort().join('&'),
    ...signed.split(';').map((name) => `${name}:${headers[name]}`),
    '',
    signed,
    payload,
  ].join('\n');
  const hashed = createHash('sha256').update(canonical).digest('hex');
  const key = scope
    .split('/')
    .reduce<string | Buffer>((by, part) => createHmac('sha256', by).update(part).digest(), `AWS4${SECRET}`);
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hashed].join('\n');
  return createHmac('sha256', key).update(text).digest('hex') === signature;
}
