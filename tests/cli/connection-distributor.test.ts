/** Which worker gets which connection. */
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ConnectionDistributor } from '../../src/server/workers/connection-distributor.js';
import type { ConnectionMessage, WorkerMessage } from '../../src/server/workers/messages.js';

/** A worker as the first process sees it: what it is sent, and what it says. */
class Worker extends EventEmitter {
  readonly sent: number[] = [];

  send({ connection }: ConnectionMessage): boolean {
    this.sent.push(connection);
    return true;
  }

  says(message: WorkerMessage): void {
    this.emit('message', message);
  }

  acceptLast(): void {
    this.says({ type: 'accepted', connection: this.sent.at(-1) as number });
  }
}

let distributor: ConnectionDistributor;
let port: number;
let clients: Socket[];
beforeEach(async () => {
  distributor = new ConnectionDistributor();
  ({ port } = await distributor.listen({ host: '127.0.0.1', port: 0 }));
  clients = [];
});
afterEach(() => {
  for (const client of clients) client.destroy();
  distributor.close();
});

function worker(): Worker {
  const added = new Worker();
  distributor.add(added as unknown as ChildProcess);
  return added;
}

/** Connects as often, and waits until the workers have been sent as many in all. */
async function arrive(count: number, workers: readonly Worker[]): Promise<void> {
  const before = sent(workers);
  for (let each = 0; each < count; each++) {
    clients.push(connect(port, '127.0.0.1').on('error', () => undefined));
    await expect.poll(() => sent(workers)).toBe(before + each + 1);
    for (const one of workers) if (one.sent.length > 0) one.acceptLast();
  }
}

const sent = (workers: readonly Worker[]) => workers.reduce((sum, { sent }) => sum + sent.length, 0);

it('gives each connection to the worker that has the fewest, and in turn where they have as many', async () => {
  const [one, two] = [worker(), worker()];
  await arrive(4, [one, two]);
  expect([one.sent.length, two.sent.length]).toEqual([2, 2]);
  // One that was started again has none.
  const three = worker();
  await arrive(3, [one, two, three]);
  expect([one.sent.length, two.sent.length, three.sent.length]).toEqual([3, 2, 2]);
});

it('counts connections no more that have ended', async () => {
  const [one, two] = [worker(), worker()];
  await arrive(4, [one, two]);
  for (let each = 0; each < 2; each++) two.says({ type: 'closed' });
  await arrive(2, [one, two]);
  expect([one.sent.length, two.sent.length]).toEqual([2, 4]);
});

it('gives one to a busier worker rather than have it wait for one that is busy', async () => {
  const [one, two] = [worker(), worker()];
  await arrive(2, [one, two]);
  // The next goes to the first; before that has accepted it, another comes.
  clients.push(connect(port, '127.0.0.1'));
  await expect.poll(() => sent([one, two])).toBe(3);
  const [busy, free] = one.sent.length === 2 ? [one, two] : [two, one];
  clients.push(connect(port, '127.0.0.1'));
  await expect.poll(() => free.sent.length).toBe(2);
  free.acceptLast();
  clients.push(connect(port, '127.0.0.1'));
  await expect.poll(() => free.sent.length).toBe(3);
  expect(busy.sent.length).toBe(2);
});
