/** A worker's side of the distribution of connections: sockets come from the parent by messages. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { AdmissionMessage, ConnectionMessage, WorkerMessage } from './messages.js';

/** The part of `process` that a worker needs of its channel to the first process. */
export type Channel = Pick<NodeJS.Process, 'on' | 'send'>;

/** Takes the connections that the first process hands to a worker, for its HTTP server, which listens on no port. */
export class ConnectionReceiver {
  readonly #server: Server;
  readonly #channel: Channel;
  readonly #open = new Set<Socket>();
  #isStopping = false;
  #onEmpty: (() => void) | undefined;

  constructor(server: Server, channel: Channel = process) {
    this.#server = server;
    this.#channel = channel;
    // Node watches over a server's connections, such as for slow headers, once the server listens.
    server.emit('listening');
    channel.on('message', (message: ConnectionMessage | AdmissionMessage, socket) => {
      if ('connection' in message) this.#receive(message, socket as Socket | undefined);
    });
    this.#send({ type: 'ready' });
  }

  /** Refuses further connections. */
  stop(): void {
    this.#isStopping = true;
    this.#send({ type: 'stopping' });
  }

  /** Waits until the connections have ended. The HTTP server has been closed, so that it ends them. */
  async ended(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }

  #receive({ connection }: ConnectionMessage, socket: Socket | undefined): void {
    if (this.#isStopping) {
      this.#send({ type: 'refused', connection });
      // The first process has its own copy.
      socket?.destroy();
      return;
    }
    // The first process hands on what isn't accepted: no request of it may run here before that message has been sent.
    this.#send({ type: 'accepted', connection }, () => {
      if (socket === undefined || socket.destroyed) return this.#send({ type: 'closed' });
      this.#open.add(socket);
      socket.once('close', () => {
        this.#open.delete(socket);
        this.#send({ type: 'closed' });
        if (this.#open.size === 0) this.#onEmpty?.();
      });
      this.#server.emit('connection', socket);
    });
  }

  /** What can't be sent needn't be: without the first process, a worker ends. */
  #send(message: WorkerMessage, sent: () => void = () => undefined): void {
    this.#channel.send?.(message, undefined, undefined, sent);
  }
}
