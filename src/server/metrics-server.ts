import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { isLoopbackAddress } from '../base/loopback.js';
import type { MetricsText } from '../metrics/text.js';

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Answers `GET /metrics` at an address of its own, for scrapers within a private network: without signing in.
 * Port 0 takes a free one.
 */
export async function serveMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  metrics: MetricsText,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (!isForThisMachine(request)) {
      response.writeHead(403).end();
      return;
    }
    if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.write().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(503).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // A scraper that never finishes its request must not hold up the end of the server.
        server.closeAllConnections();
      }),
  };
}

/**
 * Whether the host that a request over loopback names is this machine: a page of another site reaches it under a name
 * of its own that resolves to 127.0.0.1 (DNS rebinding). Other networks may use any names.
 */
function isForThisMachine({ socket, headers }: IncomingMessage): boolean {
  if (!isLoopbackAddress(socket.localAddress ?? '')) return true;
  const name = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || isIP(name) !== 0;
}
