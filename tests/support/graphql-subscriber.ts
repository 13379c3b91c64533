/** A subscriber, and what it receives. */
import { standardText } from '../../src/graphql/transports/response.js';
import type { Session } from '../../src/session/contract.js';
import { type ObjectValue, objectFrom } from '../../src/value/value.js';
import type { Answer, Stack } from '../graphql/stack.js';

export class Subscriber {
  /** The answers so far. */
  readonly answers: Answer[] = [];
  /** How it ended: 'complete', the code of an error, or not yet. */
  end: string | undefined;
  #stop: () => unknown = () => undefined;

  /** Begins to read at once. @throws Error when the request is refused */
  static async open(
    { service, owner }: Pick<Stack, 'service' | 'owner'>,
    query: string,
    options: SubscriberOptions = {},
  ): Promise<Subscriber> {
    const { session = owner, variables } = options;
    const opened = await service.subscribe(session, {
      query,
      variables: variables && objectFrom(variables),
      operationName: undefined,
    });
    if ('failures' in opened) throw new Error(standardText(opened));
    const subscriber = new Subscriber();
    subscriber.#stop = () => opened.return();
    void (async () => {
      try {
        for await (const outcome of opened) subscriber.answers.push(JSON.parse(standardText(outcome)) as Answer);
        subscriber.end = 'complete';
      } catch (error) {
        subscriber.end = (error as { code: string }).code;
      }
    })();
    return subscriber;
  }

  /** What came since the last time, once everything is quiet. */
  async news(): Promise<Answer[]> {
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    return this.answers.splice(0);
  }

  /** Of each new answer the value of one field. */
  async newsOf(field: string): Promise<unknown[]> {
    return (await this.news()).map(({ data, errors }) => (errors === undefined ? data?.[field] : errors));
  }

  stop(): unknown {
    return this.#stop();
  }
}

export interface SubscriberOptions {
  readonly session?: Session;
  readonly variables?: ObjectValue;
}
