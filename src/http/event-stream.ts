/** Answers that go on: server-sent events, as fast as the client reads them. */
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress } from './client-address.js';
import type { Context } from './context.js';
import { mediaType } from './negotiation.js';

const EVENT_STREAM = 'text/event-stream';
/** Nothing, as events go: it keeps proxies from taking the connection for dead. */
const HEARTBEAT = ':\n\n';

/** Whether a client wants events and nothing else will do: clients that would take JSON get it. */
export function wantsEvents(accept = ''): boolean {
  const types = accept.split(',').map(mediaType);
  return types.includes(EVENT_STREAM) && !types.some((type) => type.endsWith('json') || type.startsWith('*/'));
}

/**
 * Sends events until there are none, the client goes away or the server stops. `open` begins them; its signal says when nobody wants any more.
 * @throws TesseraError before anything is sent: `too_many_connections`, and what `open` throws
 */
export async function sendEvents(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  open: (signal: AbortSignal) => AsyncIterable<string>,
): Promise<FastifyReply> {
  const { connections, options, streams } = context;
  const release = connections.claim(clientAddress(request.raw, options.clientAddress) ?? '');
  const abort = new AbortController();
  const stop = () => abort.abort();
  const { raw } = reply;
  let cancelBeat = () => {};
  raw.once('close', stop);
  streams.add(stop);
  try {
    const events = open(abort.signal);
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
    raw.writeHead(200, { 'content-type': EVENT_STREAM, 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    raw.flushHeaders();
    cancelBeat = beat(raw, context);
    for await (const event of events) {
      if (raw.destroyed) break;
      if (!raw.write(event)) await drained(raw, abort.signal);
    }
  } finally {
    cancelBeat();
    streams.delete(stop);
    raw.removeListener('close', stop);
    release();
  }
  // A client that went away may have closed its half of the connection only.
  if (abort.signal.aborted) request.raw.socket.destroy();
  else raw.end();
  return reply;
}

/** Writes a heartbeat now and then; whoever has read nothing from one to the next is cut off. Gives what ends it. */
function beat(raw: ServerResponse, { environment, options }: Context): () => void {
  let sent = -1;
  let cancel = () => {};
  const schedule = () => {
    cancel = environment.timers.after(options.pingInterval, () => {
      const { bytesWritten = 0 } = raw.socket ?? {};
      if (raw.writableNeedDrain && bytesWritten === sent) raw.destroy();
      else if (!raw.writableNeedDrain) raw.write(HEARTBEAT);
      sent = bytesWritten;
      schedule();
    });
  };
  schedule();
  return () => cancel();
}

/** Waits until the client has read what was sent, or nobody waits for it any more. */
function drained(raw: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      raw.removeListener('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    raw.once('drain', done);
    signal.addEventListener('abort', done);
  });
}
