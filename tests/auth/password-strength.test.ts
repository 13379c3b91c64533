/** `password::strength`: a thread that estimates one password after the other, and what it estimates. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { answerTo, type StrengthAnswer, type StrengthRequest } from '../../src/auth/passwords/strength/estimate.js';
import { type StrengthThread, ThreadedPasswordStrength } from '../../src/auth/passwords/strength/password-strength.js';
import { StubbedEnvironment } from '../support/environment.js';
import { RUNS_ALL } from '../support/runs-all.js';
import { openScripting } from '../support/scripting.js';

const ESTIMATE = { score: 2, guesses: 1000, warning: undefined, suggestions: [] };

/** A thread that answers when the test says so. */
class FakeThread implements StrengthThread {
  readonly asked: StrengthRequest[] = [];
  isReferenced = true;
  isTerminated = false;
  readonly #listeners = new Map<string, (argument?: unknown) => void>();

  on(event: string, listener: (argument: never) => void): void {
    this.#listeners.set(event, listener as (argument?: unknown) => void);
  }

  emit(event: 'message' | 'error' | 'exit', argument?: StrengthAnswer | Error): void {
    this.#listeners.get(event)?.(argument);
  }

  postMessage(request: StrengthRequest): void {
    this.asked.push(request);
  }

  ref(): void {
    this.isReferenced = true;
  }

  unref(): void {
    this.isReferenced = false;
  }

  terminate(): void {
    this.isTerminated = true;
    this.emit('exit');
  }
}

let environment: StubbedEnvironment;
let threads: FakeThread[];
let strength: ThreadedPasswordStrength;
beforeEach(() => {
  environment = new StubbedEnvironment();
  threads = [];
  strength = new ThreadedPasswordStrength(environment.timers, () => {
    const thread = new FakeThread();
    threads.push(thread);
    return thread;
  });
});

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'estimated',
    ({ code }) => code as string,
  );
const thread = (at = 0) => threads[at] as FakeThread;

describe('The thread', () => {
  test('starts with the first estimate, and gets one at a time', async () => {
    expect(threads).toHaveLength(0);
    const both = [strength.estimate('a', ['x']), strength.estimate('b', [])];
    expect(thread().asked).toEqual([{ password: 'a', words: ['x'] }]);
    thread().emit('message', { estimate: ESTIMATE });
    thread().emit('message', { estimate: { ...ESTIMATE, score: 4 } });
    expect(await Promise.all(both)).toEqual([ESTIMATE, { ...ESTIMATE, score: 4 }]);
    expect(threads).toHaveLength(1);
    expect(thread().isReferenced).toBe(false);
  });

  test('refuses more than it can do in some seconds', async () => {
    const all = Array.from({ length: 40 }, (_, at) => codeOf(strength.estimate(`${at}`, [])));
    for (let at = 0; at < 17; at++) thread().emit('message', { estimate: ESTIMATE });
    const codes = await Promise.all(all);
    expect(codes.filter((code) => code === 'estimated')).toHaveLength(17);
    expect(new Set(codes)).toEqual(new Set(['estimated', 'strength_busy']));
    expect(thread().asked.at(-1)?.password).toBe('16');
  });

  test('ends a minute after its last estimate, and starts again', async () => {
    const first = strength.estimate('a', []);
    thread().emit('message', { estimate: ESTIMATE });
    await first;
    environment.advance(59_000);
    const second = strength.estimate('b', []);
    thread().emit('message', { estimate: ESTIMATE });
    await second;
    environment.advance(59_000);
    expect(thread().isTerminated).toBe(false);
    environment.advance(1_000);
    expect(thread().isTerminated).toBe(true);
    void strength.estimate('c', []);
    expect(threads).toHaveLength(2);
  });

  test('that breaks fails those who wait, and the next one gets another', async () => {
    const waiting = [codeOf(strength.estimate('a', [])), codeOf(strength.estimate('b', []))];
    thread().emit('error', new Error('out of memory'));
    thread().emit('exit');
    expect(await Promise.all(waiting)).toEqual(['internal', 'internal']);
    const next = strength.estimate('c', []);
    // What the former one still says doesn't count.
    thread(0).emit('message', { estimate: { ...ESTIMATE, score: 0 } });
    thread(1).emit('message', { estimate: ESTIMATE });
    expect(await next).toEqual(ESTIMATE);
  });

  test('that doesn’t answer is ended', async () => {
    const waiting = codeOf(strength.estimate('a', []));
    environment.advance(30_000);
    expect(await waiting).toBe('strength_busy');
    expect(thread().isTerminated).toBe(true);
  });

  test('that can’t estimate one goes on with the others', async () => {
    const waiting = [codeOf(strength.estimate('a', [])), codeOf(strength.estimate('b', []))];
    thread().emit('message', { reason: 'a fault' });
    thread().emit('message', { estimate: ESTIMATE });
    expect(await Promise.all(waiting)).toEqual(['internal', 'estimated']);
    expect(threads).toHaveLength(1);
  });

  test('ends with the database', async () => {
    const waiting = codeOf(strength.estimate('a', []));
    strength.close();
    expect(await waiting).toBe('cancelled');
    expect(thread().isTerminated).toBe(true);
  });

  test('is a real one in what is built', async () => {
    const { database, answers } = await openScripting({});
    const text =
      "RETURN password::strength('password', ['ann']); RETURN password::strength('correct horse battery staple').score";
    expect(await answers(text)).toEqual([
      "{ guesses: 3, score: 0, suggestions: ['Add more words that are less common.'], warning: 'This is a heavily used password.' }",
      '4',
    ]);
    await database.close();
  });
});

describe('An estimate', () => {
  test('is one for any text and words', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.constant('\ud800'),
      fc.constant('constructor'),
    );
    const password = fc.array(unit, { maxLength: 4 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(password, fc.array(unit, { maxLength: 4 }), (text, words) => {
        const answer = answerTo({ password: text, words });
        expect(answer).toMatchObject({ estimate: { score: expect.any(Number), guesses: expect.any(Number) } });
      }),
      { numRuns: RUNS_ALL ? 60 : 20 },
    );
  });

  test('looks at the first 64 characters, whole ones', () => {
    const horse = '🐴';
    expect(answerTo({ password: horse.repeat(64), words: [] })).toEqual(
      answerTo({ password: `${horse.repeat(64)}and the rest`, words: [] }),
    );
  });
});
