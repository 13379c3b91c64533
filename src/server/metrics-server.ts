/** Metrics in the text format of Prometheus, and a server of their own for scrapers. */
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import type { Registry } from 'prom-client';
import { lazyLibrary } from '../base/lazy.js';
import { isLoopbackAddress } from '../base/loopback.js';
import type { Family } from '../metrics/families.js';
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

const client = lazyLibrary<typeof import('prom-client')>('prom-client');

/**
 * Writes families of metrics in the text format of Prometheus (version 0.0.4), with those of the process and of Node
 * (`process_*`, `nodejs_*`: processor time, memory, garbage collections, event loop delay), which are measured from the
 * first time on.
 */
export class PrometheusText implements MetricsText {
  readonly #families: readonly Family[];
  #registry: Registry | undefined;

  constructor(families: readonly Family[]) {
    this.#families = families;
  }

  get contentType(): string {
    return client().Registry.PROMETHEUS_CONTENT_TYPE;
  }

  async write(): Promise<string> {
    this.#registry ??= this.#makeRegistry();
    return await this.#registry.metrics();
  }

  #makeRegistry(): Registry {
    const { Registry, collectDefaultMetrics } = client();
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    for (const [name, right] of Object.entries(RENAMED)) rename(registry, name, right);
    for (const family of this.#families) registry.registerMetric(collectorOf(family) as never);
    return registry;
  }
}

/** Gauges of the library whose names end as only those of counters may; without the ending they are there by type. */
const RENAMED: Readonly<Record<string, string>> = {
  nodejs_active_handles_total: 'nodejs_all_active_handles',
  nodejs_active_requests_total: 'nodejs_all_active_requests',
  nodejs_active_resources_total: 'nodejs_all_active_resources',
};

function rename(registry: Registry, name: string, right: string): void {
  const metric = registry.getSingleMetric(name);
  // Some versions of Node don't have all of them.
  if (metric === undefined) return;
  registry.removeSingleMetric(name);
  registry.registerMetric(Object.assign(metric, { name: right }));
}

/** What the library takes for a metric: it asks for nothing else. */
interface Collector {
  readonly name: string;
  get(): { name: string; help: string; type: string; values: readonly object[] };
}

function collectorOf(family: Family): Collector {
  const { name, help, type } = family;
  const get = () => ({
    name,
    help,
    type,
    values: family.samples().map((sample) => ({ metricName: sample.name, labels: sample.labels, value: sample.value })),
  });
  return { name, get };
}
