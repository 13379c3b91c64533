/** Versionstamps of what one session is sent of a result. */
import { expect, test } from 'vitest';
import type { LiveListener, LiveResultRequest } from '../../src/runtime/execution.js';
import { RequestInterrupt } from '../../src/runtime/interrupt.js';
import type { Notification } from '../../src/runtime/notification.js';
import { FollowedResult, SharedResult } from '../../src/session/results/shared-result.js';
import { objectFrom, RecordId, Uuid, type Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';

const REQUEST: LiveResultRequest = {
  evaluate: () => undefined,
  text: '',
  isOrdered: false,
  isPatched: false,
  period: undefined,
  since: { stamp: undefined },
  weight: 0,
};
const row = (id: number, n: number) => objectFrom({ id: new RecordId('a', BigInt(id)), n: BigInt(n) });
const version = (stamp: bigint, value: Value) => ({ stamp, value, weight: 0, since: 0 });

test('one that differs in nothing from what the client has leaves it the versionstamp that it knows', async () => {
  const listener = {} as LiveListener;
  const shared = new SharedResult(REQUEST, undefined, 1, listener);
  const path = { namespace: 'test', database: 'test' };
  const first = version(1n, [row(1, 1), row(2, 1)]);
  const result = new FollowedResult(new Uuid('0'), 'ann', path, listener, REQUEST, first);
  result.shared = shared;
  const stamps: (bigint | undefined)[] = [];
  const interrupt = RequestInterrupt.begin(new StubbedEnvironment());
  const send = ({ versionstamp }: Notification) => stamps.push(versionstamp) > 0;

  // There and back while the client was reading.
  shared.latest = version(3n, [row(1, 1), row(2, 1)]);
  await result.deliver(interrupt, send);
  shared.latest = version(4n, [row(1, 2), row(2, 2)]);
  await result.deliver(interrupt, send);
  expect(stamps).toEqual([1n, 4n]);
  expect(result.sent.map(({ stamp }) => stamp)).toEqual([1n, 4n]);
});
