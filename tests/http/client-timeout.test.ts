/** How long a client is waited for, on a clock that the test moves. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Context } from '../../src/http/base/context.js';
import { ClientTimeout } from '../../src/http/response/client-timeout.js';
import { StubbedEnvironment } from '../support/environment.js';

const PATIENCE = 30_000;
const RATE = 1_000;

let environment: StubbedEnvironment;
let ended: number;
beforeEach(() => {
  environment = new StubbedEnvironment();
  ended = 0;
});

function timeout(leastRate?: number, requestTimeout = PATIENCE): ClientTimeout {
  const options = { requestTimeout } as Context['options'];
  const bounds = leastRate === undefined ? {} : { leastRate };
  return new ClientTimeout({ environment, options }, () => ended++, bounds);
}

/** The client sends bytes after each pause, for so many pauses or until it is refused; returns how many there were. */
function send(client: ClientTimeout, bytes: number, pause: number, most = 1_000): number {
  for (let pauses = 0; pauses < most; pauses++) {
    client.begin();
    environment.advance(pause);
    if (ended > 0) return pauses;
    client.end(bytes);
  }
  return most;
}

describe('a client', () => {
  it('is refused if it stops', () => {
    expect(send(timeout(RATE), 1_000_000, PATIENCE - 1, 20)).toBe(20);
    expect(send(timeout(RATE), 1_000_000, PATIENCE, 20)).toBe(0);
    expect(ended).toBe(1);
  });

  it('may pause again and again where nothing asks for a rate', () => {
    expect(send(timeout(), 1, PATIENCE - 1)).toBe(1_000);
  });

  it('is refused if it drips', () => {
    // Thirty seconds for nothing, and one for each 1,000 bytes.
    expect(send(timeout(RATE), 1, 1_000)).toBe(30);
  });

  it('may send at the least rate for ever, also in gusts', () => {
    expect(send(timeout(RATE), 1_000, 1_000)).toBe(1_000);
    expect(send(timeout(RATE), 20_000, 20_000)).toBe(1_000);
  });

  it('may send as slowly as its bytes so far allow', () => {
    const client = timeout(RATE);
    send(client, 100_000, 1_000, 1);
    expect(send(client, 0, 10_000)).toBe(12);
  });

  it('is not judged by what the server takes between two waits', () => {
    const client = timeout(RATE);
    for (let turn = 0; turn < 100; turn++) {
      expect(send(client, 100, 100, 1)).toBe(1);
      environment.advance(60_000);
    }
  });

  it('has all time without a timeout', () => {
    expect(send(timeout(RATE, 0), 0, 10 * PATIENCE)).toBe(1_000);
  });
});
