import { expect, test } from 'vitest';
import { RevocationList } from '../../../src/catalog/credentials/revocation-list.js';
import { revocationKey } from '../../../src/catalog/keys/store-keys.js';
import type { Transaction } from '../../../src/storage/contract.js';
import { MemoryEngine } from '../../../src/storage/memory/memory.js';
import { toDatetime } from '../../../src/value/time/datetime.js';

const AREA = 'D0000';
const ANN = 'record user:ann';

/** What is revoked of Ann: tokens by their ids, with the times at which they were issued. */
async function within(work: (list: RevocationList, transaction: Transaction) => Promise<void>): Promise<void> {
  const transaction = await new MemoryEngine().begin({ writable: true });
  await work(new RevocationList(transaction, AREA), transaction);
  transaction.cancel();
}

const isRevoked = (list: RevocationList, token: string | undefined, at: bigint) =>
  list.isRevoked({ token, subject: ANN, at });

test('all that was issued to a user is revoked but one token', () =>
  within(async (list) => {
    await list.revokeSubject(ANN, 10n, { id: 'kept', at: 5n });
    expect(await isRevoked(list, 'kept', 5n)).toBe(false);
    expect(await isRevoked(list, 'other', 5n)).toBe(true);
    expect(await isRevoked(list, undefined, 5n)).toBe(true);
    expect(await isRevoked(list, 'other', 11n)).toBe(false);
    expect(await list.isRevoked({ token: 'kept', subject: 'record user:bob', at: 5n })).toBe(false);
  }));

test('a later revocation ends what an earlier one has kept', () =>
  within(async (list) => {
    await list.revokeSubject(ANN, 10n, { id: 'first', at: 5n });
    await list.revokeSubject(ANN, 20n, { id: 'second', at: 15n });
    expect(await isRevoked(list, 'first', 5n)).toBe(true);
    expect(await isRevoked(list, 'second', 15n)).toBe(false);
    await list.revokeSubject(ANN, 30n);
    expect(await isRevoked(list, 'second', 15n)).toBe(true);
  }));

test('a token that is revoked isn’t brought back by a statement of its session that commits later', () =>
  within(async (list) => {
    await list.revokeSubject(ANN, 10n);
    await list.revokeSubject(ANN, 20n, { id: 'stolen', at: 5n });
    expect(await isRevoked(list, 'stolen', 5n)).toBe(true);
    await list.revokeToken({ id: 'ended', expiry: undefined }, 20n);
    await list.revokeSubject(ANN, 30n, { id: 'ended', at: 25n });
    expect(await isRevoked(list, 'ended', 25n)).toBe(true);
  }));

test('a sign-in that the transaction itself proves is kept, though it began before another revocation', () =>
  within(async (list) => {
    await list.revokeSubject(ANN, 10n, { id: 'first' });
    await list.revokeSubject(ANN, 10n, { id: 'second' });
    expect(await isRevoked(list, 'first', 5n)).toBe(true);
    expect(await isRevoked(list, 'second', 5n)).toBe(false);
  }));

test('a server whose clock is behind doesn’t take a revocation back', () =>
  within(async (list) => {
    await list.revokeSubject(ANN, 20n);
    await list.revokeSubject(ANN, 10n);
    expect(await isRevoked(list, 'between', 15n)).toBe(true);
  }));

test('a revocation by an older release, which knows no exceptions, has none', () =>
  within(async (list, transaction) => {
    await list.revokeSubject(ANN, 10n, { id: 'kept', at: 5n });
    transaction.put(revocationKey(AREA, 'subject', ANN), toDatetime(20n));
    expect(await isRevoked(list, 'kept', 5n)).toBe(true);
  }));
