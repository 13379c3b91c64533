import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
