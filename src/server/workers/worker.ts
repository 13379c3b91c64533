/** One of the processes that serve a store together. The first process has prepared the store, and watches over it. */
import type { Configuration, SettingSources } from '../configuration.js';
import { createLog } from '../log.js';
import { openConfigured } from '../open.js';
import { RecentLines } from '../recent-lines.js';
import { createService } from '../server.js';
import { listSettings } from '../settings-list.js';
import { endAtOnce, exitOnSignals, surviveUncaught } from '../shutdown.js';
import { openTracing } from '../tracing.js';
import { ConnectionReceiver } from './connection-receiver.js';
import { RemoteAdmission } from './sign-in-admission.js';

/** Serves until a signal ends the process, or the first process is gone. */
export async function runWorker(configuration: Configuration, number: number, sources?: SettingSources): Promise<void> {
  process.once('disconnect', endAtOnce);
  const recentLines = new RecentLines();
  const log = createLog(configuration.log, recentLines, number);
  const own = configurationOf(configuration, number);
  const tracing = await openTracing(process.env, log);
  const group = { owner: process.ppid, size: configuration.workers };
  const database = await openConfigured(own, log, group, new RemoteAdmission());
  const { app, drain, close } = await createService(own, {
    ...{ database, log, recentLines, tracing },
    settings: sources && listSettings(sources),
    prepared: Promise.resolve(),
  });
  surviveUncaught(log);
  const connections = new ConnectionReceiver(app.server);
  exitOnSignals(
    () => drain().then(() => close(connections)),
    configuration.drainTime + configuration.shutdownTimeout,
    log,
  );
}

/**
 * The configuration of one worker: its part of the memory, its own audit log, and its own port
 * for its metrics.
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
