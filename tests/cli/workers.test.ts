import { describe, expect, it } from 'vitest';
import { readConfiguration, SETTINGS } from '../../src/server/configuration.js';
import { configurationOf } from '../../src/server/workers/worker.js';

function configuration(variables: Readonly<Record<string, string>>) {
  return readConfiguration((setting) => (setting === SETTINGS.path ? './data' : undefined), variables);
}

describe('the configuration of a worker', () => {
  it('has its part of the memory, and files and ports of its own', () => {
    const given = configuration({
      SVC_WORKERS: '4',
      SVC_MAX_MEMORY: '400MiB',
      SVC_MAX_REQUEST_MEMORY: '50MiB',
      SVC_MAX_SESSION_MEMORY: '300MiB',
      SVC_AUDIT_LOG: '/var/audit',
      SVC_METRICS_BIND: '127.0.0.1:9000',
    });
    const { memoryLimits, auditLog, metricsBind, bind, maxHeldMemory } = configurationOf(given, 3);
    const MIB = 2 ** 20;
    expect([memoryLimits.total, memoryLimits.request, memoryLimits.session]).toEqual([100 * MIB, 50 * MIB, 100 * MIB]);
    expect(maxHeldMemory).toBe(Math.floor(given.maxHeldMemory / 4));
    expect([auditLog, metricsBind?.port, bind.port]).toEqual(['/var/audit.3', 9002, 8000]);
  });

  it.each([
    [{ SVC_WORKERS: '2', SVC_AUDIT_LOG: 'stdout' }, /each worker keeps an audit log of its own/],
    [{ SVC_WORKERS: '33' }, /"33" is more than 32/],
  ])('refuses %o', (variables, message) => {
    expect(() => configuration(variables)).toThrow(message);
  });
});
