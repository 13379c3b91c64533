/** What the bench of live queries says about notifications: lost, twice, out of order, late. */
import { describe, expect, it } from 'vitest';
import { delivery, type Notification } from '../../bench/harness/watched.mjs';

/** Two clients write in turn, a write each 10 ms, from 100 on. */
const writes = Array.from({ length: 6 }, (_, number) => ({
  client: number % 2,
  id: number,
  answered: 100 + 10 * number,
}));
const notified = (number: number, at = 105 + 10 * number) => ({ number, what: `CREATE t:${number} ${number}`, at });
const watcher = (notifications: Notification[]) => ({ notifications, others: [], isOpen: true, close: () => {} });
const of = (...sequences: Notification[][]) =>
  delivery(sequences.map(watcher), writes, { first: 2, began: 115, ended: 1115, stopped: 2000 });
const all = [0, 1, 2, 3, 4, 5].map((number) => notified(number));

describe('delivery', () => {
  it('everything once, in one order', () => {
    expect(of(all, all)).toMatchObject({
      ...{ delivered: 5, lag50: 5, lag99: 5, behind: 0, caughtUp: 0 },
      ...{ left: 0, lost: 0, twice: 0, strange: 0, closed: 0, isOrdered: true },
    });
  });

  it('what is missing before a later write of the same client is lost, behind it left', () => {
    expect(of(all.filter(({ number }) => number !== 2))).toMatchObject({ lost: 1, left: 0, caughtUp: undefined });
    expect(of(all.slice(0, 4))).toMatchObject({ lost: 0, left: 2, behind: 2, lag99: 1859.7 });
  });

  it('what comes after the load was behind', () => {
    expect(of([...all.slice(0, 5), notified(5, 1615)])).toMatchObject({ behind: 1, left: 0, caughtUp: 0.5 });
  });

  it('twice, strange', () => {
    expect(of([...all, notified(5)])).toMatchObject({ twice: 1, lost: 0, left: 0 });
    expect(of([...all.slice(0, 5), { ...notified(5), what: 'CREATE t:4 5' }])).toMatchObject({ strange: 1 });
  });

  it('orders that differ, and one that turns writes of a client round', () => {
    const swapped = [notified(1), notified(0), ...all.slice(2)];
    expect(of(all, swapped)).toMatchObject({ isOrdered: false });
    expect(of(swapped)).toMatchObject({ isOrdered: true });
    expect(of([notified(2), notified(0)])).toMatchObject({ isOrdered: false });
    expect(of(all, all.slice(0, 3))).toMatchObject({ isOrdered: true });
  });
});
