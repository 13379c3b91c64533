import { describe, expect, it } from 'vitest';
import { anomaliesOf, type HistoryOperation, type HistoryTransaction } from '../support/history-checker.js';

/** A transaction that was committed, at the same time as all others unless it says otherwise. */
function committed(id: number, operations: readonly HistoryOperation[], began = 0, ended = 100): HistoryTransaction {
  return { id, node: 'a', began, ended, outcome: 'committed', operations };
}

const ending = (id: number, operations: readonly HistoryOperation[]) => committed(id, operations, 1_000, 1_001);
const list = (...found: number[]): HistoryOperation => ({ kind: 'list', key: 'l', found });
const search = (...found: number[]): HistoryOperation => ({ kind: 'search', key: 's', found });
const register = (key: string, found: number | null): HistoryOperation => ({ kind: 'register', key, found });
const write = (key: string, before: number | null): HistoryOperation => ({ kind: 'write', key, before });
const append = (...before: number[]): HistoryOperation => ({ kind: 'append', key: 'l', before });
const insert: HistoryOperation = { kind: 'insert', key: 's' };

describe('a history', () => {
  it('that is serial has no anomaly', () => {
    const history = [
      committed(1, [append(), insert], 0, 1),
      committed(2, [append(1), write('r', null)], 2, 3),
      committed(3, [list(1, 2), register('r', 2), search(1), insert], 4, 5),
      ending(4, [list(1, 2), register('r', 2), search(1, 3)]),
    ];
    expect(anomaliesOf(history)).toEqual([]);
  });

  it.each<[string, RegExp, readonly HistoryTransaction[]]>([
    [
      'a lost update',
      /1 → 2.*2 → 1|2 → 1.*1 → 2/,
      [committed(1, [write('r', null)]), committed(2, [write('r', null)])],
    ],
    [
      'a write skew',
      /a cycle/,
      [committed(1, [register('x', null), write('y', null)]), committed(2, [register('y', null), write('x', null)])],
    ],
    [
      'a phantom',
      /a cycle/,
      [committed(1, [search(), insert]), committed(2, [search(), insert]), ending(3, [search(1, 2)])],
    ],
    [
      'a write that is lost',
      /1 was acknowledged by a, and is not in l/,
      [committed(1, [append()]), ending(2, [list()])],
    ],
    [
      'a record that is lost',
      /1 was acknowledged by a, and is not in s/,
      [committed(1, [insert]), ending(2, [search()])],
    ],
    ['a write that was done twice', /an element twice/, [committed(1, [append()]), ending(2, [list(1, 1)])]],
    [
      'a write of an aborted transaction',
      /1, which was aborted/,
      [{ ...committed(1, [append()]), outcome: 'aborted' }, ending(2, [list(1)])],
    ],
    [
      'two orders of one list',
      /no beginning of/,
      [committed(1, [append()]), committed(2, [append()]), committed(3, [list(1)]), ending(4, [list(2, 1)])],
    ],
    [
      'a read of the past',
      /began later/,
      [committed(1, [write('r', null)], 0, 1), committed(2, [register('r', null)], 2, 3)],
    ],
    [
      'a read of half a transaction',
      /a cycle/,
      [committed(1, [write('x', null), write('y', null)]), committed(2, [register('x', 1), register('y', null)])],
    ],
  ])('with %s is found out', (_, text, history) => {
    expect(anomaliesOf(history).join('\n')).toMatch(text);
  });

  it('may have transactions of unknown outcome, whether they were applied or not', () => {
    const unknown = { ...committed(1, [{ kind: 'append', key: 'l' }]), outcome: 'unknown' } as const;
    expect(anomaliesOf([unknown, ending(2, [list()])])).toEqual([]);
    expect(anomaliesOf([unknown, ending(2, [list(1)])])).toEqual([]);
    expect(anomaliesOf([unknown, ending(2, [list(1)]), committed(3, [list()], 2_000, 2_001)])).toHaveLength(1);
  });
});

describe('a history of several databases', () => {
  /** What was seen in one of them. */
  const within = (database: string, history: readonly HistoryTransaction[]) =>
    history.map((transaction) => ({
      ...transaction,
      operations: transaction.operations.filter(({ key }) => key.startsWith(`${database} `)),
    }));

  it('that is serial has no anomaly', () => {
    const history = [
      committed(1, [write('a x', null), write('b x', null)], 0, 1),
      committed(2, [register('a x', 1), write('b x', 1)], 2, 3),
      ending(3, [register('a x', 1), register('b x', 2)]),
    ];
    expect(anomaliesOf(history)).toEqual([]);
  });

  it('with a stale read of one, after what another has acknowledged, is found out', () => {
    const history = [
      committed(1, [write('b x', null)]),
      committed(2, [register('b x', 1)], 10, 20),
      committed(3, [write('a x', null)], 30, 40),
      committed(4, [register('a x', 3)], 50, 60),
      committed(5, [register('b x', null)], 70, 80),
    ];
    expect(anomaliesOf(history).join('\n')).toMatch(/a cycle/);
  });

  // Of databases that are linearizable each, only transactions over both show that they aren't together.
  it.each<[string, readonly HistoryTransaction[]]>([
    [
      'half of a transaction',
      [
        committed(1, [write('a x', null), write('b x', null)]),
        committed(2, [register('a x', 1)], 10, 20),
        committed(3, [register('b x', null)], 30, 40),
      ],
    ],
    [
      'a write skew',
      [
        committed(1, [register('a x', null), write('b x', null)]),
        committed(2, [register('b x', null), write('a x', null)]),
      ],
    ],
    [
      'two writes in the wrong order',
      [
        committed(1, [write('a x', null)], 0, 10),
        committed(2, [write('b x', null)], 20, 100),
        committed(3, [register('b x', 2), register('a x', null)], 0, 100),
      ],
    ],
  ])('with %s over two of them is found out, though each is right', (_, history) => {
    expect(anomaliesOf(history).join('\n')).toMatch(/a cycle/);
    for (const database of ['a', 'b']) expect(anomaliesOf(within(database, history))).toEqual([]);
  });
});
