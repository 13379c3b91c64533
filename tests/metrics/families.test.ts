import { describe, expect, test } from 'vitest';
import { CounterFamily, GaugeFamily, HistogramFamily } from '../../src/metrics/families.js';

describe('A family of counters', () => {
  test('has a child for each combination of label values', () => {
    const family = new CounterFamily('denied_total', 'Denied.', ['table', 'action']);
    family.add('person', 'create');
    family.add('person', 'create');
    family.add('person', 'delete');
    expect(family.samples()).toEqual([
      { labels: { table: 'person', action: 'create' }, value: 2 },
      { labels: { table: 'person', action: 'delete' }, value: 1 },
    ]);
  });

  test('counts combinations beyond its bound together', () => {
    const family = new CounterFamily('denied_total', 'Denied.', ['table'], 2);
    for (const table of ['a', 'b', 'c', 'd', 'a']) family.add(table);
    expect(family.samples()).toEqual([
      { labels: { table: 'a' }, value: 2 },
      { labels: { table: 'b' }, value: 1 },
      { labels: { table: 'other' }, value: 2 },
    ]);
  });
});

test('A histogram counts durations up to each bound, bounds included', () => {
  const family = new HistogramFamily('duration_seconds', 'Durations.', ['kind']);
  for (const seconds of [0.0001, 0.001, 0.0011, 60]) family.record(seconds, 'select');
  const values = new Map(family.samples().map(({ name, labels, value }) => [`${name} ${labels['le'] ?? ''}`, value]));
  expect(values.get('duration_seconds_bucket 0.0001')).toBe(1);
  expect(values.get('duration_seconds_bucket 0.001')).toBe(2);
  expect(values.get('duration_seconds_bucket 0.0025')).toBe(3);
  expect(values.get('duration_seconds_bucket 10')).toBe(3);
  expect(values.get('duration_seconds_bucket +Inf')).toBe(4);
  expect(values.get('duration_seconds_count ')).toBe(4);
  expect(values.get('duration_seconds_sum ')).toBeCloseTo(60.0022, 9);
});

test('A gauge is read when it is asked for', () => {
  let open = 1;
  const family = new GaugeFamily({ name: 'open', help: 'Open.' }, () => open);
  expect(family.samples()).toEqual([{ labels: {}, value: 1 }]);
  open = 2;
  expect(family.samples()).toEqual([{ labels: {}, value: 2 }]);
});
