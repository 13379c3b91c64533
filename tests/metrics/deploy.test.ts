/** The dashboard and the alert rules of `deploy/` name nothing but metrics and labels that a server has. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Family } from '../../src/metrics/families.js';
import { ServerMetrics } from '../../src/metrics/server-metrics.js';
import { gaugesOf } from '../../src/server/gauges.js';
import { openDatabase } from '../../src/session/database/database.js';
import { PostgresMetrics } from '../../src/storage/postgres/metrics.js';
import { ParsedMetrics } from '../support/prometheus.js';
import { startTestServer } from '../support/server.js';
import { temporaryFolder } from '../support/server-process.js';
import { simulatedNodes } from '../support/shared-nodes.js';

/** Those that Prometheus adds itself. */
const OF_PROMETHEUS = { metrics: ['up'], labels: ['instance', 'job', 'le'] };
const SUFFIX = /_(?:bucket|sum|count)$/;

/** The labels of each metric. */
const known = new Map<string, Set<string>>(OF_PROMETHEUS.metrics.map((name) => [name, new Set()]));

function know(name: string, labels: readonly string[]): void {
  const all = known.get(name) ?? new Set();
  known.set(name, all);
  for (const label of labels) all.add(label);
}

function knowFamilies(families: readonly Family[]): void {
  for (const family of families) {
    know(family.name, family.labels ?? []);
    for (const { labels } of family.samples()) know(family.name, Object.keys(labels));
  }
}

beforeAll(async () => {
  const server = await startTestServer({ SVC_PATH: temporaryFolder(), SVC_METRICS_BIND: '127.0.0.1:0' });
  const { names, samples } = new ParsedMetrics(await (await fetch(server.metricsUrl as string)).text());
  await server.close();
  for (const name of names) know(name, []);
  for (const { name, labels } of samples) know(known.has(name) ? name : name.replace(SUFFIX, ''), Object.keys(labels));
  knowFamilies(new ServerMetrics().families());
  const pool = { open: 0, idle: 0, waiting: 0 };
  knowFamilies(new PostgresMetrics().families({ reads: pool }, () => Promise.resolve(0)));
  const cluster = await simulatedNodes({ count: 1 });
  const database = await openDatabase(cluster.nodes[0] as never);
  knowFamilies(gaugesOf(database));
  await database.close();
  await cluster.close();
});

interface Query {
  readonly expr: string;
  /** Labels that texts beside it name. */
  readonly shown: readonly string[];
}

const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name as string);

/** What a query names that no server has. */
function unknownIn({ expr, shown }: Query): string[] {
  const metrics = namesIn(expr, /\b((?:tessera|process|nodejs)_\w+|up)\b/g).map((name) =>
    known.has(name) ? name : name.replace(SUFFIX, ''),
  );
  const labels = [
    ...namesIn(expr, /[{,]\s*(\w+)\s*(?:=~|!~|!=|=)/g),
    ...namesIn(expr, /\bby \(([^)]*)\)/g).flatMap((list) => list.split(',').map((label) => label.trim())),
    ...shown,
  ];
  const possible = new Set([...OF_PROMETHEUS.labels, ...metrics.flatMap((name) => [...(known.get(name) ?? [])])]);
  return [...metrics.filter((name) => !known.has(name)), ...labels.filter((label) => !possible.has(label))];
}

test('What is unknown is found', () => {
  expect(unknownIn({ expr: 'rate(tessera_no_such_total{kind="x"}[5m])', shown: [] })).toEqual([
    'tessera_no_such_total',
    'kind',
  ]);
  const expr = 'sum by (kind, door) (rate(tessera_statement_duration_seconds_count{code="x"}[5m]))';
  expect(unknownIn({ expr, shown: ['table'] })).toEqual(['code', 'door', 'table']);
});

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

describe('The dashboard', () => {
  const { panels } = JSON.parse(readFileSync('deploy/grafana/tessera.json', 'utf8')) as { panels: readonly Panel[] };
  const charts = panels.filter(({ type }) => type !== 'row');

  test.each(charts.map((panel) => [panel.title, panel] as const))('%s', (_, { targets = [] }) => {
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr, legendFormat } of targets)
      expect(unknownIn({ expr, shown: namesIn(legendFormat, /\{\{(\w+)\}\}/g) })).toEqual([]);
  });

  test('shows every metric of ours', () => {
    const text = JSON.stringify(panels);
    const missing = [...known.keys()].filter((name) => name.startsWith('tessera_') && !text.includes(name));
    expect(missing).toEqual([]);
  });
});

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

describe('The alert', () => {
  const { groups } = parse(readFileSync('deploy/prometheus/alerts.yaml', 'utf8')) as {
    groups: readonly { readonly rules: readonly Rule[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);

  test.each(rules.map((rule) => [rule.alert, rule] as const))('%s', (_, { expr, annotations }) => {
    const shown = namesIn(Object.values(annotations).join(' '), /\$labels\.(\w+)/g);
    expect(unknownIn({ expr, shown })).toEqual([]);
    expect(annotations['summary']).toBeTruthy();
  });
});

afterAll(() => known.clear());
