/**
 * Limits connections as they are accepted: each may hold a head or a body before anything is known of its client.
 * WebSockets have a limit of their own (`ConnectionCount`).
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { failure, type TesseraError } from '../../errors/error.js';
import type { Context } from '../base/context.js';
import { corsHeaders } from '../base/cors.js';
import { LIMIT_SETTINGS } from '../base/options.js';
import { isWebSocketUpgrade } from '../request/ignored-upgrade.js';
import { rawError } from '../response/raw-error.js';

/** Milliseconds between warnings that the system's limit is reached. */
const WARNING_INTERVAL = 60_000;

export class ConnectionLimit {
  readonly #server: Server;
  readonly #context: Context;
  /** The addresses of open connections that aren't WebSockets, by their peers: a TLS socket isn't what is accepted. */
  readonly #addresses = new Map<string, string>();
  readonly #perAddress = new Map<string, number>();
  readonly #open = new Set<Socket>();
  #warned = Number.NEGATIVE_INFINITY;

  constructor(server: Server, context: Context) {
    this.#server = server;
    this.#context = context;
    server.on('connection', (socket: Socket) => this.#accept(socket));
    server.on('upgrade', (request: IncomingMessage) => {
      if (isWebSocketUpgrade(request)) this.#release(peerOf(request.socket));
    });
  }

  #accept(socket: Socket): void {
    // One whose offer of an upgrade is ignored is given to the server again.
    if (this.#open.has(socket)) return;
    this.#open.add(socket);
    const peer = peerOf(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#release(peer);
    });
    const error = this.#excess(socket, peer);
    if (error !== undefined) this.#refuse(socket, error);
  }

  #excess({ remoteAddress: address }: Socket, peer: string): TesseraError | undefined {
    const { sockets, clientAddress, limits } = this.#context.options;
    if (this.#open.size > sockets) {
      this.#warn(sockets);
      return failure('too_many_connections', { limit: sockets, setting: 'ulimit -n' });
    }
    // Behind a proxy all have its address.
    if (clientAddress.from !== 'socket' || address === undefined) return undefined;
    const count = (this.#perAddress.get(address) ?? 0) + 1;
    this.#perAddress.set(address, count);
    this.#addresses.set(peer, address);
    const limit = limits.httpConnectionsPerAddress;
    if (count <= limit) return undefined;
    return failure('too_many_connections', { limit, setting: LIMIT_SETTINGS.httpConnectionsPerAddress });
  }

  #release(peer: string): void {
    const address = this.#addresses.get(peer);
    if (address === undefined) return;
    this.#addresses.delete(peer);
    const rest = (this.#perAddress.get(address) ?? 1) - 1;
    if (rest === 0) this.#perAddress.delete(address);
    else this.#perAddress.set(address, rest);
  }

  #refuse(socket: Socket, error: TesseraError): void {
    const { metrics, requestId, options } = this.#context;
    metrics?.requestError(error.code);
    // What it may have sent already isn't begun.
    socket.pause();
    if (this.#server instanceof TlsServer) socket.destroy();
    else rawError(socket, error, { id: requestId({ headers: {} }), cors: corsHeaders({}, options) });
  }

  #warn(sockets: number): void {
    const { environment, log } = this.#context;
    const now = environment.clock.monotonic();
    if (now - this.#warned < WARNING_INTERVAL) return;
    this.#warned = now;
    log.warn({ sockets }, 'Connections are refused: no more files may be opened for them (ulimit -n)');
  }
}

/** Identifies an open connection of a server. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
