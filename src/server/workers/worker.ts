/** One of the processes that serve a store together. The first process has prepared the store, and watches over it. */
import cluster from 'node:cluster';
import type { Configuration } from '../configuration.js';
import { createLog } from '../log.js';
import { openConfigured } from '../open.js';
import { startServer } from '../server.js';
import { exitOnSignals, surviveUncaught } from '../shutdown.js';
import { openTracing } from '../tracing.js';

/** The environment variable that says which of the workers a process is: 1, 2, … */
export const WORKER_VARIABLE = 'TESSERA_WORKER';

/** What a worker tells the first process once it accepts connections. */
export interface WorkerReady {
  readonly url: string;
}

/** Serves until a signal ends the process, or the first process is gone. */
export async function runWorker(configuration: Configuration): Promise<void> {
  const number = Number(process.env[WORKER_VARIABLE]);
  const log = createLog(configuration.log, number);
  const own = configurationOf(configuration, number);
  const tracing = await openTracing(process.env, log);
  const database = await openConfigured(own, log, { owner: process.ppid, size: configuration.workers });
  const { url, close } = await startServer(own, { database, log, tracing, prepared: Promise.resolve() });
  surviveUncaught(log);
  exitOnSignals(close, configuration.drainTime + configuration.shutdownTimeout, log);
  const ready: WorkerReady = { url };
  cluster.worker?.send(ready);
}

/**
 * What of a configuration is meant for one worker: its part of the memory, an audit log of its own, and a port of its
 * own for its metrics.
 */
export function configurationOf(configuration: Configuration, number: number): Configuration {
  const { memoryLimits, maxHeldMemory, auditLog, metricsBind, workers } = configuration;
  const total = Math.floor(memoryLimits.total / workers);
  const limits = Object.entries(memoryLimits).map(([name, limit]) => [name, Math.min(limit, total)]);
  return {
    ...configuration,
    memoryLimits: {
      ...(Object.fromEntries(limits) as typeof memoryLimits),
      vectors: Math.floor(memoryLimits.vectors / workers),
    },
    maxHeldMemory: Math.floor(maxHeldMemory / workers),
    auditLog: auditLog === undefined ? undefined : `${auditLog}.${number}`,
    metricsBind: metricsBind && { ...metricsBind, port: metricsBind.port === 0 ? 0 : metricsBind.port + number - 1 },
  };
}
