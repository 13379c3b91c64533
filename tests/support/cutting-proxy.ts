/** A TCP proxy that cuts a connection at a given moment of a request. */

import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { realEnvironment } from '../../src/env/real.js';

/** `before` the request has arrived whole, once it has been sent (`during`), or `after` the answer has come. `silent` cuts nothing, but
 * passes on neither the request nor anything later. */
export type Moment = 'before' | 'during' | 'after' | 'silent';

export class CuttingProxy {
  readonly #server: Server;
  readonly #marker: string;
  readonly #sockets = new Set<Socket>();
  #moment: Moment | undefined;
  #isClosedAfterwards = false;
  #isRefusing = false;
  /** Milliseconds by which answers are late. */
  delay = 0;
  /** How many connections were cut, or had something else done to them. */
  cuts = 0;
  /** What is done at the moment in place of cutting. */
  instead: (() => void) | undefined;

  private constructor(target: number, marker: string) {
    this.#marker = marker;
    this.#server = createServer((client) => this.#connect(client, target));
  }

  /** A request is what has the marker among its bytes. */
  static async start(target: number, marker: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target, marker);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** Cuts the connection of the next request; `thenRefuse` also cuts all others, and refuses new ones. */
  cutNext(moment: Moment, thenRefuse = false): void {
    this.#moment = moment;
    this.#isClosedAfterwards = thenRefuse;
  }

  /** Cuts all connections, and takes no new ones. */
  refuse(): void {
    this.#isRefusing = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** New connections are taken again. */
  accept(): void {
    this.#isRefusing = false;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #connect(client: Socket, target: number): void {
    if (this.#isRefusing) {
      client.destroy();
      return;
    }
    const server = createConnection(target, '127.0.0.1');
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    let isCutAtAnswer = false;
    let isSilent = false;
    const late: Buffer[] = [];
    client.on('data', (request) => {
      if (isSilent) return;
      const moment = this.#moment;
      if (moment === undefined || !request.includes(this.#marker)) {
        server.write(request);
        return;
      }
      this.#moment = undefined;
      if (moment === 'silent') {
        this.cuts++;
        isSilent = true;
      } else if (moment === 'before') {
        server.write(request.subarray(0, request.length >> 1), () => this.#cut(client, server));
      } else {
        server.write(request, () => {
          if (moment === 'during') this.#cut(client, server);
        });
        isCutAtAnswer = moment === 'after';
      }
    });
    server.on('data', (answer) => {
      if (isCutAtAnswer) this.#cut(client, server);
      else if (this.delay === 0 && late.length === 0) client.write(answer);
      else {
        // In the order in which they came, whatever the delay is by then, as TCP has it.
        late.push(answer);
        realEnvironment.timers.after(this.delay, () => client.write(late.shift()!));
      }
    });
  }

  #cut(...sockets: readonly Socket[]): void {
    this.cuts++;
    if (this.instead !== undefined) {
      this.instead();
      return;
    }
    if (this.#isClosedAfterwards) this.#isRefusing = true;
    for (const socket of this.#isClosedAfterwards ? this.#sockets : sockets) socket.destroy();
  }
}
