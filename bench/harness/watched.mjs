// Writes with running numbers, and live queries that are to be notified of each of them: what was delivered, in which order, and how late.
import { onFrames, rpc, upgraded } from './raw-client.mjs';
import { quantile } from './statistics.mjs';

/**
 * @typedef {object} Write
 * @property {number} client  writes of a client are one after the other, so their commits are, too
 * @property {number} id  of its record
 * @property {number | undefined} answered  when its answer came, if it was a good one
 *
 * @typedef {object} Notification
 * @property {number} number  of the write
 * @property {string} what  action, record and value
 * @property {number} at
 *
 * @typedef {{notifications: Notification[], others: string[], isOpen: boolean, close(): void}} Watcher  `others` are messages that are none of a write
 */

/** What a write may be notified as. */
const ACTIONS = ['CREATE', 'UPDATE'];

/** Opens a connection with a live query on the table `t`, signed in with credentials if there are any. @returns {Promise<Watcher>} */
export async function watch(port, { namespace, database, credentials }) {
  const socket = await upgraded(port, '/rpc');
  const watcher = { notifications: [], others: [], isOpen: true, close: () => socket.destroy() };
  socket.on('close', () => {
    watcher.isOpen = false;
  });
  const answers = new Map();
  onFrames(socket, (payload) => {
    const at = performance.now();
    const message = JSON.parse(payload);
    const answered = answers.get(message.id);
    if (answered !== undefined) return answered(message);
    const { action, result } = message.result ?? {};
    if (typeof result?.v !== 'number') watcher.others.push(String(payload));
    else watcher.notifications.push({ number: result.v, what: `${action} ${result.id} ${result.v}`, at });
  });
  const ask = async (id, method, params) => {
    const answer = new Promise((resolve, reject) => {
      answers.set(id, resolve);
      socket.once('close', () => reject(new Error('the server hung up')));
    });
    socket.write(rpc(method, params, { id }));
    const { error, result } = await answer;
    if (error !== undefined || result?.[0]?.status === 'ERR') throw new Error(JSON.stringify(error ?? result));
  };
  if (credentials !== undefined) await ask(1, 'signin', [credentials]);
  else await ask(2, 'use', [namespace, database]);
  await ask(3, 'query', ['LIVE SELECT * FROM t']);
  return watcher;
}

/**
 * What the watchers were notified of.
 * @param {readonly Watcher[]} watchers
 * @param {readonly Write[]} writes  by their numbers
 * @param {{first: number, began: number, ended: number, stopped: number}} times  of the load, from which write on it is measured, and when waiting
 *   for the last notifications ended
 */
export function delivery(watchers, writes, { first, began, ended, stopped }) {
  const each = watchers.map((watcher) => ofWatcher(watcher, writes, ended));
  const lags = watchers.flatMap(({ notifications }) => lagsOf(notifications, writes, first, stopped));
  const sorted = lags.toSorted((a, b) => a - b);
  const seconds = (ended - began) / 1e3;
  const rates = watchers.map(({ notifications }) => notifications.filter(within(began, ended)).length / seconds);
  const sum = (name) => each.reduce((total, counts) => total + counts[name], 0);
  const isComplete = sum('left') === 0 && sum('lost') === 0;
  const last = Math.max(...watchers.map(({ notifications }) => notifications.at(-1)?.at ?? 0));
  return {
    delivered: rates.reduce((total, rate) => total + rate, 0) / rates.length,
    deliveredLeast: Math.min(...rates),
    lag50: quantile(sorted, 0.5),
    lag99: quantile(sorted, 0.99),
    behind: Math.max(...each.map((counts) => counts.behind)),
    // What is missing at the end is unknown to have an end.
    caughtUp: isComplete ? Math.max(0, last - ended) / 1e3 : undefined,
    left: sum('left'),
    lost: sum('lost'),
    twice: sum('twice'),
    strange: sum('strange'),
    closed: watchers.filter(({ isOpen }) => !isOpen).length,
    isOrdered: each.every((counts) => counts.isOrdered) && areEqual(watchers),
  };
}

const within =
  (from, to) =>
  ({ at }) =>
    at >= from && at < to;

/** Whether each has been notified of the same as the others, in the same order, as far as it has come. */
function areEqual(watchers) {
  const sequences = watchers.map(({ notifications }) => notifications.map(({ what }) => what));
  const longest = sequences.reduce((most, sequence) => (sequence.length > most.length ? sequence : most));
  return sequences.every((sequence) => sequence.every((what, at) => what === longest[at]));
}

function ofWatcher({ notifications, others }, writes, ended) {
  const seen = new Set();
  /** The last write of each client that was delivered. */
  const lastOf = new Map();
  let [twice, isOrdered, strange, deliveredInTime] = [0, true, others.length, 0];
  for (const { number, what, at } of notifications) {
    const write = writes[number];
    if (!ACTIONS.some((action) => what === `${action} t:${write?.id} ${number}`)) strange++;
    if (seen.has(number)) {
      twice++;
      continue;
    }
    seen.add(number);
    if (at < ended && write?.answered < ended) deliveredInTime++;
    if (number < (lastOf.get(write?.client) ?? -1)) isOrdered = false;
    lastOf.set(write?.client, number);
  }
  // One that is missing behind the last of its client may still come; one before it doesn't.
  const missing = [...writes.entries()].filter(([number, { answered }]) => answered !== undefined && !seen.has(number));
  const lost = missing.filter(([number, { client }]) => number < (lastOf.get(client) ?? -1)).length;
  const answeredInTime = writes.filter(({ answered }) => answered < ended).length;
  return { twice, isOrdered, strange, lost, left: missing.length - lost, behind: answeredInTime - deliveredInTime };
}

/** Milliseconds from the answer to the notification. What hasn't come until waiting ended has been waited for until then. */
function lagsOf(notifications, writes, first, stopped) {
  const notified = new Map(notifications.map(({ number, at }) => [number, at]));
  return writes.flatMap(({ answered }, number) =>
    // A notification may be read before the answer is.
    number < first || answered === undefined ? [] : [Math.max(0, (notified.get(number) ?? stopped) - answered)],
  );
}
