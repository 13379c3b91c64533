/** Server-sent events (HTML Living Standard, section 9.2), as fast as the client reads. */
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress } from '../base/client-address.js';
import type { Context } from '../base/context.js';
import { mediaType } from '../base/negotiation.js';

const EVENT_STREAM = 'text/event-stream';
/** An empty comment, which keeps proxies from closing the connection. */
const HEARTBEAT = ':\n\n';

/** Whether the client accepts only events; a client that also accepts JSON gets JSON. */
export function wantsEvents(accept = ''): boolean {
  const types = accept.split(',').map(mediaType);
  return types.includes(EVENT_STREAM) && !types.some((type) => type.endsWith('json') || type.startsWith('*/'));
}

/**
 * Sends events until they end, the client disconnects or the server stops. `open` begins them; its signal aborts them.
 * @throws TesseraError before anything is sent: `too_many_connections`, and errors of `open`
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
  // The client may have closed only its half of the connection.
  if (abort.signal.aborted) request.raw.socket.destroy();
  else raw.end();
  return reply;
}

/** Sends heartbeats; a client that has read nothing between two is disconnected. Returns a function that stops them. */
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

/** Resolves when the client has read everything, or the stream was aborted. */
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
