// Writes deploy/grafana/tessera.json, the dashboard for Tessera's metrics: `node scripts/dashboard.mjs`. A panel is a row of the table below.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PLACE = 'instance=~"$instance"';
const rate = (metric, labels = '') => `rate(${metric}{${PLACE}${labels && `, ${labels}`}}[$__rate_interval])`;
const sum = (by, of) => `sum by (${by}) (${of})`;
const quantile = (q, by, metric) =>
  `histogram_quantile(${q}, ${sum(`${by ? `${by}, ` : ''}le`, rate(`${metric}_bucket`))})`;
const gauge = (metric) => `${metric}{${PLACE}}`;

/** By row: title, unit, and queries with their legends. */
const ROWS = {
  Requests: [
    ['Requests by door', 'reqps', [[sum('door', rate('tessera_request_duration_seconds_count')), '{{door}}']]],
    [
      'Time of requests',
      's',
      [0.5, 0.99].map((q) => [quantile(q, 'door', 'tessera_request_duration_seconds'), `p${q * 100} {{door}}`]),
    ],
    ['Requests answered by an error', 'reqps', [[sum('code', rate('tessera_request_errors_total')), '{{code}}']]],
  ],
  Statements: [
    ['Statements by kind', 'ops', [[sum('kind', rate('tessera_statement_duration_seconds_count')), '{{kind}}']]],
    ['Time of statements', 's', [[quantile(0.99, 'kind', 'tessera_statement_duration_seconds'), 'p99 {{kind}}']]],
    [
      'Failed statements and conflicts',
      'ops',
      [
        [sum('code', rate('tessera_statement_errors_total')), '{{code}}'],
        [sum('instance', rate('tessera_transaction_conflicts_total')), 'conflicts'],
      ],
    ],
  ],
  'Who is in': [
    [
      'Sign-ins by outcome',
      'ops',
      [[sum('action, outcome', rate('tessera_sign_ins_total')), '{{action}} {{outcome}}']],
    ],
    [
      'Writes that PERMISSIONS denied',
      'ops',
      [[sum('table, action', rate('tessera_denied_writes_total')), '{{action}} {{table}}']],
    ],
    [
      'Sessions, live queries, held transactions',
      'short',
      [
        [gauge('tessera_sessions'), 'sessions {{state}}'],
        [gauge('tessera_live_queries'), 'live queries'],
        [gauge('tessera_open_transactions'), 'held transactions'],
      ],
    ],
    [
      'Lag of live queries',
      's',
      [
        ...[0.5, 0.99].map((q) => [quantile(q, '', 'tessera_live_change_lag_seconds'), `p${q * 100}`]),
        [quantile(0.99, '', 'tessera_live_result_evaluation_seconds'), 'p99 of evaluations for live results'],
      ],
    ],
  ],
  Store: [
    [
      'Size',
      'bytes',
      [
        [gauge('tessera_store_bytes'), 'written'],
        [gauge('tessera_store_free_bytes'), 'free in it'],
        [rate('tessera_store_staged_bytes_total'), 'sent ahead each second (PostgreSQL)'],
      ],
    ],
    [
      'Time of writes, waits for the disk included',
      's',
      [0.5, 0.99].map((q) => [quantile(q, '', 'tessera_store_write_duration_seconds'), `p${q * 100}`]),
    ],
    [
      'Reads from caches',
      'percentunit',
      [
        [
          `${sum('cache', rate('tessera_cache_hits_total'))} / (${sum('cache', rate('tessera_cache_hits_total'))} + ${sum('cache', rate('tessera_cache_misses_total'))})`,
          '{{cache}}',
        ],
      ],
    ],
    [
      'Entries and readers',
      'short',
      [
        [gauge('tessera_store_entries'), 'entries'],
        [gauge('tessera_store_readers'), 'readers'],
        [gauge('tessera_store_oldest_reader_commits'), 'writes since the oldest snapshot'],
      ],
    ],
  ],
  'Store in PostgreSQL': [
    ['Commits by outcome', 'ops', [[sum('outcome', rate('tessera_store_commits_total')), '{{outcome}}']]],
    ['Time of answers', 's', [[quantile(0.99, 'pool', 'tessera_store_query_duration_seconds'), '{{pool}} p99']]],
    [
      'Connections',
      'short',
      [
        [gauge('tessera_store_connections'), '{{pool}} {{state}}'],
        [
          sum('pool, outcome', `increase(tessera_store_connects_total{${PLACE}}[$__rate_interval])`),
          '{{pool}} opened: {{outcome}}',
        ],
      ],
    ],
  ],
  Files: [
    [
      'Actions with files',
      'ops',
      [[sum('action, outcome', rate('tessera_file_actions_total')), '{{action}} {{outcome}}']],
    ],
    ['Bytes over HTTP', 'Bps', [[sum('direction', rate('tessera_file_bytes_total')), '{{direction}}']]],
    [
      'Uploads',
      'short',
      [
        [gauge('tessera_file_uploads'), 'being received'],
        [gauge('tessera_file_open_uploads'), 'to be resumed'],
      ],
    ],
    ['Bytes that no file has', 'bytes', [[gauge('tessera_file_waiting_bytes'), 'until they are due']]],
  ],
  Background: [
    [
      'Rounds of work',
      'ops',
      [[sum('work, outcome', rate('tessera_background_round_duration_seconds_count')), '{{work}} {{outcome}}']],
    ],
    [
      'Indexes, events, mails',
      'ops',
      [
        [gauge('tessera_index_work'), 'indexes that wait'],
        [sum('outcome', rate('tessera_index_steps_total')), 'steps {{outcome}}'],
        [sum('outcome', rate('tessera_async_events_total')), 'events {{outcome}}'],
        [sum('outcome', rate('tessera_mails_total')), 'mails {{outcome}}'],
      ],
    ],
    [
      'Servers on one store',
      'short',
      [
        [gauge('tessera_node_staleness_seconds'), 'staleness {{instance}}'],
        [gauge('tessera_node_leases'), '{{work}} {{instance}}'],
      ],
    ],
  ],
  Process: [
    [
      'Memory',
      'bytes',
      [
        [gauge('tessera_memory_used_bytes'), 'budget {{budget}}'],
        [gauge('tessera_memory_limit_bytes'), 'its limit'],
        [gauge('tessera_open_transaction_bytes'), 'held transactions'],
        [gauge('nodejs_heap_size_used_bytes'), 'heap'],
        [gauge('process_resident_memory_bytes'), 'resident'],
      ],
    ],
    ['Refusals for lack of memory', 'ops', [[sum('budget', rate('tessera_memory_refusals_total')), '{{budget}}']]],
    ['Delay of the event loop', 's', [[gauge('nodejs_eventloop_lag_p99_seconds'), 'p99 {{instance}}']]],
    ['Processor time', 'percentunit', [[rate('process_cpu_seconds_total'), '{{instance}}']]],
    ['Versions', 'short', [[gauge('tessera_build_info'), '{{version}} {{instance}}']]],
    ['Uptime', 's', [[gauge('tessera_uptime_seconds'), '{{instance}}']]],
  ],
};

const WIDTH = 24;
const HEIGHT = 8;
const datasource = { type: 'prometheus', uid: '$datasource' };
const panels = [];
let y = 0;
for (const [title, row] of Object.entries(ROWS)) {
  panels.push({
    id: panels.length + 1,
    type: 'row',
    title,
    collapsed: false,
    gridPos: { x: 0, y: y++, w: WIDTH, h: 1 },
    panels: [],
  });
  const w = Math.floor(WIDTH / row.length);
  for (const [column, [panelTitle, unit, targets]] of row.entries()) {
    panels.push({
      id: panels.length + 1,
      type: 'timeseries',
      title: panelTitle,
      datasource,
      gridPos: { x: column * w, y, w, h: HEIGHT },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
      targets: targets.map(([expr, legendFormat], at) => ({
        refId: String.fromCharCode(65 + at),
        datasource,
        expr,
        legendFormat,
      })),
    });
  }
  y += HEIGHT;
}
const dashboard = {
  uid: 'tessera',
  title: 'Tessera',
  tags: ['tessera'],
  timezone: 'browser',
  schemaVersion: 39,
  refresh: '30s',
  time: { from: 'now-3h', to: 'now' },
  templating: {
    list: [
      { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' },
      {
        name: 'instance',
        type: 'query',
        label: 'Server',
        datasource,
        query: { query: 'label_values(tessera_build_info, instance)', refId: 'instances' },
        includeAll: true,
        multi: true,
        refresh: 2,
        current: { text: 'All', value: '$__all' },
      },
    ],
  },
  panels,
};
const text = `${JSON.stringify(dashboard, null, 2)}\n`;
writeFileSync(fileURLToPath(new URL('../deploy/grafana/tessera.json', import.meta.url)), text);
