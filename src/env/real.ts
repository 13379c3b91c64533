/** The real environment: this machine's clock, randomness, event loop and network. */
import { randomFillSync } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp, validateHeaderName, validateHeaderValue } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { ByteCollector } from '../base/byte-collector.js';
import type { Environment } from './environment.js';
import { type Network, type NetworkAnswer, NetworkError, type NetworkHop } from './network.js';
import { FeedbackQueue } from './scheduler.js';
import { smtpTransport } from './smtp.js';

/** The network of this machine. */
export const realNetwork: Network = {
  async resolve(host) {
    if (isIP(host) !== 0) return [host];
    try {
      return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
    } catch (error) {
      throw new NetworkError('unknown', error);
    }
  },

  exchange(hop) {
    return new Promise((resolve, reject) => {
      checkHeaders(hop.headers);
      const send = hop.url.protocol === 'https:' ? requestHttps : requestHttp;
      const request = send(hop.url, {
        method: hop.method,
        headers: hop.headers,
        signal: hop.signal,
        // A new connection to exactly the address that the rules were applied to.
        agent: false,
        lookup: (_host, { all }, found) => {
          const family = isIP(hop.address);
          if (all === true) found(null, [{ address: hop.address, family }]);
          else found(null, hop.address, family);
        },
      });
      request.once('error', (error) => reject(new NetworkError('unreachable', error)));
      request.once('response', (response) => takeAnswer(response, hop.maxBytes).then(resolve, reject));
      request.end(hop.body);
    });
  },
};

function checkHeaders(headers: NetworkHop['headers']): void {
  try {
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
  } catch (error) {
    throw new NetworkError('invalid', error);
  }
}

async function takeAnswer(response: IncomingMessage, maxBytes: number): Promise<NetworkAnswer> {
  const collected = new ByteCollector();
  collected.expect(maxBytes);
  let isTooLarge = false;
  try {
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      isTooLarge = collected.length + chunk.length > maxBytes;
      if (isTooLarge) break;
      collected.append(chunk);
    }
  } catch (error) {
    throw new NetworkError('unreachable', error);
  }
  if (isTooLarge) throw new NetworkError('too-large');
  const { 'content-type': type, location } = response.headers;
  return {
    status: response.statusCode ?? 0,
    headers: { 'content-type': type, location },
    body: collected.take(),
  };
}

/** The largest fraction of a millisecond, in whole nanoseconds. */
const LAST = 0.999999;

/**
 * Combines a wall clock in whole milliseconds with a precise monotonic clock into a wall clock in nanoseconds. It goes
 * backwards only if the wall clock does.
 * @param wall milliseconds since 1970
 * @param monotonic milliseconds with fractions
 */
export function fineClock(wall: () => number, monotonic: () => number): () => bigint {
  /** Offset of the monotonic clock from the wall clock. */
  let offset = 0;
  return () => {
    const milliseconds = wall();
    const exact = monotonic();
    let fraction = exact + offset - milliseconds;
    // The clocks drift apart, and the wall clock may be adjusted.
    if (!(fraction >= 0 && fraction < 1)) {
      fraction = fraction >= 1 && fraction < 2 ? LAST : 0;
      offset = milliseconds + fraction - exact;
    }
    return BigInt(milliseconds) * 1_000_000n + BigInt(Math.floor(fraction * 1e6));
  };
}

/** A pool of random bytes: a system call for the few bytes of an id would dominate its cost. */
const pool = new Uint8Array(4096);
let left = 0;

function drawBytes(length: number): Uint8Array {
  if (length > pool.length / 8) return randomFillSync(new Uint8Array(length));
  if (left < length) {
    randomFillSync(pool);
    left = pool.length;
  }
  const drawn = pool.slice(left - length, left);
  // Erased, since the bytes may become a secret of which only one copy should exist.
  pool.fill(0, left - length, left);
  left -= length;
  return drawn;
}

/** All computations of this process that have yielded. */
const yielded = new FeedbackQueue({
  nextRound: (callback) => void setImmediate(callback),
  after: (milliseconds, callback) => void setTimeout(callback, milliseconds),
  now: () => performance.now(),
});

/** This machine's clock, random source and event loop. */
export const realEnvironment: Environment = {
  clock: {
    now: fineClock(Date.now, () => performance.now()),
    monotonic: () => performance.now(),
  },
  random: {
    bytes: drawBytes,
    float: Math.random,
  },
  timers: {
    after(milliseconds, callback) {
      const timer = setTimeout(callback, milliseconds);
      timer.unref();
      return () => clearTimeout(timer);
    },
    wait: (milliseconds) => sleep(milliseconds),
    yield: (turns = Number.POSITIVE_INFINITY) => yielded.wait(turns),
    nextRound: () => nextTurn(),
  },
  network: realNetwork,
  mail: smtpTransport(),
  heap: {
    used: () => getHeapStatistics().used_heap_size,
    limit: getHeapStatistics().heap_size_limit,
  },
};
