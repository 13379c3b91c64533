/**
 * Sign-in attempts of all workers, admitted by the first process: if each worker admitted its own, a guesser would get
 * as many guesses more as there are workers.
 */
import type { AttemptKeys } from '../../auth/attempts/attempt-keys.js';
import { type AttemptAdmission, type EndAttempt, Throttle } from '../../auth/attempts/throttle.js';
import { asTesseraError, failure } from '../../errors/error.js';
import { retryAfter } from '../../http/response/error-body.js';
import type { Channel } from './connection-receiver.js';
import type { AdmissionMessage, ConnectionMessage, WorkerMessage } from './messages.js';

/** The part of `ChildProcess` that the first process needs of a worker. */
export interface AdmittedWorker {
  on(event: 'message', listener: (message: WorkerMessage) => void): unknown;
  once(event: 'exit', listener: () => void): unknown;
  send(message: AdmissionMessage, sent: () => void): unknown;
}

/** The first process's side. */
export class SharedAdmission {
  readonly #throttle: Throttle;

  constructor(...options: ConstructorParameters<typeof Throttle>) {
    this.#throttle = new Throttle(...options);
  }

  /** Admits the attempts of a worker. Those that it leaves behind when it dies have failed. */
  add(worker: AdmittedWorker): void {
    const running = new Map<number, EndAttempt>();
    let isGone = false;
    // What can't be sent belongs to a worker that has ended: its `exit` follows.
    const answer = (message: AdmissionMessage) => worker.send(message, () => {});
    const admit = async (attempt: number, keys: AttemptKeys) => {
      try {
        const end = await this.#throttle.admit(keys);
        if (isGone) return end('excused');
        running.set(attempt, end);
        answer({ attempt });
      } catch (error) {
        if (!isGone) answer({ attempt, retryAfter: retryAfter(asTesseraError(error)) ?? 1 });
      }
    };
    worker.on('message', (message) => {
      if (message.type === 'attempt') void admit(message.attempt, message.keys);
      if (message.type !== 'attempted') return;
      running.get(message.attempt)?.(message.outcome);
      running.delete(message.attempt);
    });
    worker.once('exit', () => {
      isGone = true;
      for (const end of running.values()) end('failed');
      running.clear();
    });
  }
}

/** A worker's side: asks the first process. */
export class RemoteAdmission implements AttemptAdmission {
  readonly #channel: Channel;
  readonly #waiting = new Map<number, (answer: AdmissionMessage) => void>();
  #last = 0;

  constructor(channel: Channel = process) {
    this.#channel = channel;
    channel.on('message', (message: AdmissionMessage | ConnectionMessage) => {
      if (!('attempt' in message)) return;
      this.#waiting.get(message.attempt)?.(message);
      this.#waiting.delete(message.attempt);
    });
  }

  async admit(keys: AttemptKeys): Promise<EndAttempt> {
    const attempt = ++this.#last;
    const answer = await new Promise<AdmissionMessage>((resolve) => {
      this.#waiting.set(attempt, resolve);
      this.#send({ type: 'attempt', attempt, keys });
    });
    if (answer.retryAfter !== undefined) throw failure('too_many_attempts', { retryAfter: answer.retryAfter });
    return (outcome) => this.#send({ type: 'attempted', attempt, outcome });
  }

  /** What can't be sent needn't be: without the first process, a worker ends. */
  #send(message: WorkerMessage): void {
    this.#channel.send?.(message, undefined, undefined, () => undefined);
  }
}
