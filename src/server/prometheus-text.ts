import type { Registry } from 'prom-client';
import { lazyLibrary } from '../base/lazy.js';
import type { Family } from '../metrics/families.js';
import type { MetricsText } from '../metrics/text.js';

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
