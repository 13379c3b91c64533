import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { expect, it } from 'vitest';
import { BodyDrains } from '../../src/http/request/request-body.js';

const KIB = 1024;

/** Bodies that are refused, and a loop that runs round by round. */
function refusals() {
  let due: (() => void)[] = [];
  const drains = new BodyDrains({ nextRound: () => new Promise((resume) => due.push(resume)) });
  const read: number[] = [];
  const closed: boolean[] = [];
  const streams: PassThrough[] = [];
  const refuse = (length: number) => {
    const at = read.push(0) - 1;
    const stream = new PassThrough({ highWaterMark: length });
    streams.push(stream);
    const request = Object.assign(stream, {
      socket: new Socket(),
      headers: { 'content-length': String(length) },
      complete: false,
    });
    closed[at] = false;
    const reply = {
      header: () => {
        closed[at] = true;
      },
      removeHeader: () => {},
    };
    for (let sent = 0; sent < length; sent += 16 * KIB) stream.write(Buffer.alloc(16 * KIB));
    stream.end();
    drains.discard(request as unknown as IncomingMessage, reply as unknown as FastifyReply);
    if (closed[at] === false)
      stream.on('data', (piece: Buffer) => {
        read[at] = (read[at] as number) + piece.length;
      });
  };
  const round = async () => {
    const now = due;
    due = [];
    for (const resume of now) resume();
    await new Promise(setImmediate);
  };
  return { refuse, round, read, closed, streams, isIdle: () => due.length === 0 };
}

it('drains a piece of one refused body in each round', async () => {
  const { refuse, round, read, isIdle } = refusals();
  for (let n = 0; n < 4; n++) refuse(512 * KIB);
  await new Promise(setImmediate);
  const total = () => read.reduce((sum, bytes) => sum + bytes, 0);
  expect(Math.max(...read)).toBeLessThanOrEqual(96 * KIB);
  let before = total();
  while (!isIdle()) {
    await round();
    expect(total() - before).toBeLessThanOrEqual(96 * KIB);
    before = total();
  }
  expect(read).toEqual(Array(4).fill(512 * KIB));
});

it('closes the connections of further ones', async () => {
  const { refuse, closed, streams, round, isIdle } = refusals();
  for (let n = 0; n < 10; n++) refuse(256 * KIB);
  expect(closed).toEqual([...Array(8).fill(false), true, true]);
  await new Promise(setImmediate);
  while (!isIdle()) await round();
  expect(streams.slice(0, 8).every(({ readableEnded }) => readableEnded)).toBe(true);
  refuse(256 * KIB);
  expect(closed.at(-1)).toBe(false);
});
