/** Balances connections among worker processes: the parent owns the port and hands over each accepted socket. */
import type { ChildProcess } from 'node:child_process';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { ConnectionMessage, WorkerMessage } from './messages.js';

/** Connections that wait until a worker takes them; further ones are closed. */
const MOST_WAITING = 1_024;

interface Target {
  readonly worker: ChildProcess;
  isServing: boolean;
  /** Connections that it has accepted, and that haven't ended. */
  open: number;
  /** The connection that it was sent, and hasn't accepted yet. */
  offered: { readonly connection: number; readonly socket: Socket } | undefined;
}

/**
 * Accepts the connections of a port, and hands each to the worker that has the fewest, so that one that was started
 * again gets its share. A worker gets the next one once it has accepted the one before: one that is busy or stopped
 * gets no more. If it dies before that, another gets the connection. (Node's `cluster` leaves such connections open
 * without an answer.)
 */
export class ConnectionDistributor {
  readonly #server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => this.#accept(socket));
  /** Workers that accept connections; round robin among those with equally few. */
  readonly #free: Target[] = [];
  readonly #waiting: Socket[] = [];
  #last = 0;

  /** Port 0 takes a free one. @throws Error with a `code` of the operating system */
  listen({ host, port }: { readonly host: string; readonly port: number }): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => resolve(this.#server.address() as AddressInfo));
    });
  }

  /** A worker that serves gets connections until it stops or dies. */
  add(worker: ChildProcess): void {
    const target: Target = { worker, isServing: true, open: 0, offered: undefined };
    worker.on('message', (message: WorkerMessage) => this.#receive(target, message));
    worker.once('exit', () => {
      this.#remove(target);
      if (target.offered !== undefined) this.#wait(target.offered.socket);
    });
    this.#offer(target);
  }

  /** Accepts no further connections, and closes those that no worker has accepted. */
  close(): void {
    this.#server.close();
    for (const socket of this.#waiting.splice(0)) socket.destroy();
  }

  #accept(socket: Socket): void {
    // A connection that its client has given up is noticed by the worker that gets it.
    socket.on('error', () => {});
    this.#wait(socket);
  }

  #wait(socket: Socket): void {
    if (this.#waiting.length >= MOST_WAITING || !this.#server.listening) {
      socket.destroy();
      return;
    }
    this.#waiting.push(socket);
    const target = this.#leastBusy();
    if (target !== undefined) this.#offer(target);
  }

  /** Takes the one with the fewest connections from those that are free. */
  #leastBusy(): Target | undefined {
    const [first, ...others] = this.#free;
    if (first === undefined) return undefined;
    const least = others.reduce((best, target) => (target.open < best.open ? target : best), first);
    this.#free.splice(this.#free.indexOf(least), 1);
    return least;
  }

  /** Sends the connection that has waited longest, or remembers that the worker is free. */
  #offer(target: Target): void {
    const socket = this.#waiting.shift();
    if (socket === undefined) {
      this.#free.push(target);
      return;
    }
    const message: ConnectionMessage = { connection: ++this.#last };
    target.offered = { ...message, socket };
    // What can't be sent belongs to a worker that has ended: its `exit` follows.
    target.worker.send(message, socket, { keepOpen: true }, () => {});
  }

  #receive(target: Target, message: WorkerMessage): void {
    if (message.type === 'stopping') this.#remove(target);
    if (message.type === 'closed') target.open--;
    const { offered } = target;
    if (offered === undefined || !('connection' in message) || message.connection !== offered.connection) return;
    target.offered = undefined;
    // Closing the own copy leaves the connection of the worker open.
    if (message.type === 'accepted') {
      target.open++;
      offered.socket.destroy();
    } else this.#wait(offered.socket);
    if (target.isServing) this.#offer(target);
  }

  #remove(target: Target): void {
    target.isServing = false;
    const at = this.#free.indexOf(target);
    if (at >= 0) this.#free.splice(at, 1);
  }
}
