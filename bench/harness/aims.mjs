// What is asked for: ratios between targets of the same rounds, or figures as they are.
import { FIGURES, written, writtenRatio } from './figures.mjs';
import { spreadOf } from './statistics.mjs';

/**
 * @typedef {object} Aim
 * @property {string} what
 * @property {readonly string[]} workloads
 * @property {string} target
 * @property {string} [beside]  another target of the same rounds; without it the figure itself is judged
 * @property {string} [figure]  Default: that of the workload; of time, processor time
 * @property {number} bound
 * @property {'faster' | 'slower' | 'at most' | 'at least'} direction  `faster`: at least so many times as fast as `beside`; `slower`: at
 *   most so many times as slow; the others are about the figure itself
 *
 * @typedef {object} Verdict
 * @property {string} what
 * @property {string} workload
 * @property {string} target
 * @property {string} [beside]
 * @property {string} aim
 * @property {string} figure
 * @property {import('./statistics.mjs').Spread} spread
 * @property {boolean} met  by the median
 */

const READS = [
  'read 100 by id',
  'equality by index',
  'range by index, 1 in 100',
  'two hops, 64 ends',
  'three hops, names of 512 ends',
  'field of a link, 100 rows',
  'FETCH, 100 rows',
];
const WRITES = ['create', 'update', 'delete'];
const UNAWAITED = 'db.create, 64 unawaited';
const LITERAL = ['read by id', 'create', 'update'].map((what) => `${what}, values in the text`);
const METHODS = ['db.select of a record', 'db.create', 'db.update, merged', 'db.delete'];
const SMALLEST = ['RETURN 1', 'read by id'];
const SCANS = ['filtered count', 'group by city, count and sum', 'order by score, first 10'];

/** Tessera and the peer side by side, through the same client and through our own interface. */
const besidePeer = (aim, where) =>
  where.map(([target, beside]) => ({ ...aim, target, beside, direction: /** @type {const} */ ('faster') }));
const IN_MEMORY = [
  ['client:memory', 'surrealdb:memory'],
  ['tessera:memory', 'surrealdb:memory'],
];
const BY_CLIENT = IN_MEMORY.filter(([target]) => target === 'client:memory');
const ON_DISK = [['client:lmdb', 'surrealdb:disk']];
const EVERYWHERE = [...IN_MEMORY, ...ON_DISK];

const ON_BOTH = ['tessera:memory', 'tessera:lmdb'];
const POINT_WORK = ['read by id', 'create', 'update', 'delete', 'equality by index', 'one hop'];

/**
 * Processor time is used instead of elapsed time, since other work on the machine delays targets with more threads more. Work that waits for the
 * disk is judged by the clock.
 * @type {readonly Aim[]}
 */
export const AIMS = [
  ...besidePeer({ what: 'smallest statements beside the peer', workloads: SMALLEST, bound: 30 }, EVERYWHERE),
  ...besidePeer({ what: 'single reads beside the peer', workloads: READS, bound: 10 }, EVERYWHERE),
  ...besidePeer({ what: 'single writes beside the peer', workloads: WRITES, bound: 10 }, IN_MEMORY),
  ...besidePeer({ what: 'texts that come once beside the peer', workloads: LITERAL, bound: 10 }, IN_MEMORY),
  ...besidePeer({ what: 'methods of the client beside the peer', workloads: METHODS, bound: 10 }, BY_CLIENT),
  ...besidePeer(
    { what: 'durable writes beside the peer', workloads: [...WRITES, UNAWAITED], bound: 10, figure: 'time' },
    ON_DISK,
  ),
  ...besidePeer({ what: 'scans beside the peer', workloads: SCANS, bound: 20 }, IN_MEMORY),
  ...besidePeer({ what: 'bulk insert beside the peer', workloads: ['insert 1,000, for each'], bound: 5 }, EVERYWHERE),
  {
    what: 'scans beside SQLite',
    workloads: [...SCANS, 'projection of 1 in 100', 'projection of all'],
    target: 'tessera:memory',
    beside: 'sqlite',
    bound: 2,
    direction: 'slower',
  },
  {
    what: 'reads on disk beside raw LMDB',
    workloads: ['read by id'],
    target: 'tessera:lmdb',
    beside: 'lmdb',
    bound: 1.5,
    direction: 'slower',
  },
  {
    what: 'durable concurrent writes beside raw LMDB',
    workloads: ['create, 64 at once'],
    figure: 'time',
    target: 'tessera:lmdb',
    beside: 'lmdb',
    bound: 2,
    direction: 'slower',
  },
  ...[
    ['http', 'bare:http'],
    ['websocket', 'bare:websocket'],
  ].map(([target, beside]) => ({
    what: 'smallest requests beside a bare server',
    workloads: ['RETURN 1, over the network'],
    target,
    beside,
    figure: 'rate',
    bound: 0.66,
    direction: /** @type {const} */ ('faster'),
  })),
  {
    what: 'a record user beside an owner',
    workloads: [
      'scan, half of it visible',
      'filtered scan, half of it visible',
      'own rows by the rule’s index',
      '10 own of 10,000 by the rule’s index',
      '10 own of 10,000, asked for',
      'own record by id',
    ],
    target: 'tessera:record-user',
    beside: 'tessera:memory',
    bound: 1.2,
    direction: 'slower',
  },
  {
    what: 'memory of a record of five fields',
    workloads: ['memory for each record'],
    target: 'tessera:memory',
    bound: 600,
    direction: 'at most',
  },
  ...ON_BOTH.map((target) => ({
    what: 'start of a server',
    workloads: ['start until ready'],
    target,
    bound: 400e6,
    direction: /** @type {const} */ ('at most'),
  })),
  ...ON_BOTH.map((target) => ({
    what: 'small reads amid scans and sign-ins',
    workloads: ['WebSocket', 'HTTP'].flatMap((transport) =>
      [64, 512].map(
        (count) => `reads of ${count} clients over ${transport} at 2,000 a second, amid scans and sign-ins`,
      ),
    ),
    target,
    bound: 20e6,
    direction: /** @type {const} */ ('at most'),
  })),
  ...ON_BOTH.map((target) => ({
    what: 'growth of work on single records',
    workloads: POINT_WORK.map((name) => `${name}, growth from 1,000 rows`),
    target,
    bound: 2,
    direction: /** @type {const} */ ('at most'),
  })),
];

/** @type {Record<Aim['direction'], {value: (ours: number, theirs: number) => number, met: (value: number, bound: number) => boolean, sign: string}>} */
const DIRECTIONS = {
  faster: { value: (ours, theirs) => theirs / ours, met: (value, bound) => value >= bound, sign: '≥' },
  slower: { value: (ours, theirs) => ours / theirs, met: (value, bound) => value <= bound, sign: '≤' },
  'at most': { value: (ours) => ours, met: (value, bound) => value <= bound, sign: '≤' },
  'at least': { value: (ours) => ours, met: (value, bound) => value >= bound, sign: '≥' },
};

/** What a measured workload says of the aims. @param {import('./bench.mjs').Result} result @returns {Verdict[]} */
export function judge({ workload, targets, rounds }, aims = AIMS) {
  const at = (name) => targets.findIndex((target) => target.name === name);
  return aims
    .filter(({ workloads }) => workloads.includes(workload.name))
    .filter(({ target, beside }) => at(target) >= 0 && (beside === undefined || at(beside) >= 0))
    .map(({ what, target, beside, bound, direction, figure = workload.figure ?? 'processor' }) => {
      const { value, met, sign } = DIRECTIONS[direction];
      // A rate is more where a duration is less.
      const [over, under] = FIGURES[figure].more ? [beside, target] : [target, beside];
      const of = (round, name) => (name === undefined ? Number.NaN : round[at(name)][figure]);
      const spread = spreadOf(
        rounds.map((round) => (beside === undefined ? of(round, target) : value(of(round, over), of(round, under)))),
      );
      const write = beside === undefined ? (number) => written(figure, number) : writtenRatio;
      const aim = `${sign} ${write(bound)}${beside === undefined ? '' : direction === 'faster' ? ' as fast' : ' as slow'}`;
      return {
        what,
        workload: workload.name,
        target,
        ...(beside && { beside }),
        aim,
        figure,
        spread,
        met: met(spread.median, bound),
      };
    });
}
