/** Settings of transactions: limits and timeouts. */
import { DEFAULT_TRANSACTION_BOUNDS as DEFAULTS } from '../../session/resources/held-transactions.js';
import { readCount, readSize, readTime, settingWithDefault, sizeText } from '../setting.js';

export const TRANSACTION_SETTINGS = {
  maxTransactionMemory: settingWithDefault(
    {
      flag: '--max-transaction-memory <size>',
      description: 'How much a statement or a transaction may write at once, roughly as it is in memory',
    },
    sizeText(DEFAULTS.memory),
    readSize,
  ),
  maxHeldMemory: settingWithDefault(
    {
      flag: '--max-held-memory <size>',
      description: 'The same for all transactions together that clients hold open; a user may take a quarter of it',
    },
    sizeText(DEFAULTS.heldMemory),
    readSize,
  ),
  maxUserTransactions: settingWithDefault(
    {
      flag: '--max-user-transactions <count>',
      description: 'How many transactions a user may hold open; guests are counted by their addresses',
    },
    String(DEFAULTS.perUser),
    readCount,
  ),
  maxTransactions: settingWithDefault(
    { flag: '--max-transactions <count>', description: 'How many transactions clients may hold open in all' },
    String(DEFAULTS.total),
    readCount,
  ),
  maxUserSnapshots: settingWithDefault(
    {
      flag: '--max-user-snapshots <count>',
      description: 'How many requests of GraphQL and exports of a user may read at once, each from a snapshot',
    },
    String(DEFAULTS.snapshotsPerUser),
    readCount,
  ),
  maxSnapshots: settingWithDefault(
    { flag: '--max-snapshots <count>', description: 'How many of them there may be in all' },
    String(DEFAULTS.snapshots),
    readCount,
  ),
  transactionIdle: settingWithDefault(
    {
      flag: '--transaction-idle <time>',
      description: 'Cancel a transaction that a client holds open without a request for so long',
    },
    `${Number(DEFAULTS.idle) / 1000}s`,
    readTime,
  ),
  transactionLifetime: settingWithDefault(
    {
      flag: '--transaction-lifetime <time>',
      description: 'Cancel a transaction that a client holds open for so long, and a snapshot that is',
    },
    `${Number(DEFAULTS.age) / 60_000}m`,
    readTime,
  ),
} as const;
