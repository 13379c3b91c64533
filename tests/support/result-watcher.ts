/** A client that follows a LIVE QUERY on one of several servers, and goes on at another when it has lost the first. */
import { realEnvironment } from '../../src/env/real.js';
import { type ResultAnswer, ResultCopy, type ResultMessage } from './result-copy.js';
import { RpcConnection } from './rpc-connection.js';
import type { HistoryNode } from './statement-histories.js';

/** Of so many notifications one is lost, with the connection. */
const LOST = 60;
/** Milliseconds until it tries again. */
const PAUSE = 50;

export interface ResultUser {
  readonly name: string;
  readonly credentials: Readonly<Record<string, string>>;
}

export interface Watched {
  readonly user: ResultUser;
  readonly database: string;
  readonly text: string;
}

export class ResultWatcher {
  readonly copy = new ResultCopy();
  /** How often it went on in each way, and how often its connection was lost. */
  readonly counts = new Map<string, number>();
  /** What it is doing, for the message of a failure. */
  state = 'not begun';
  #connection: RpcConnection<ResultMessage> | undefined;
  #isOver = false;
  #done: Promise<void> = Promise.resolve();

  /** `atMoment` gets each result that it has. */
  constructor(
    readonly watched: Watched,
    private readonly nodes: readonly HistoryNode[],
    private readonly random: (below: number) => number,
    private readonly atMoment: (value: unknown) => void,
  ) {}

  start(): void {
    this.#done = this.#follow();
  }

  /** It loses its connection. */
  lose(): void {
    this.#connection?.cut();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.lose();
    await this.#done;
  }

  async #follow(): Promise<void> {
    let node = this.#drawNode();
    while (!this.#isOver) {
      // It comes back to the one that knows what it has been sent as often as to any.
      if (this.random(2) === 0) node = this.#drawNode();
      try {
        await this.#followAt(node);
      } catch (error) {
        this.state = `refused by ${node.name}: ${(error as Error).message}`;
      }
      await realEnvironment.timers.wait(PAUSE);
    }
  }

  #drawNode(): HistoryNode {
    return this.nodes[this.random(this.nodes.length)] as HistoryNode;
  }

  /** Until it is cut off, or the result ends. */
  async #followAt({ name, url }: HistoryNode): Promise<void> {
    this.state = `coming to ${name}`;
    const { user, database, text } = this.watched;
    const connection = await RpcConnection.open<ResultMessage>(url);
    this.#connection = connection;
    try {
      if (this.#isOver) return;
      await connection.ask('signin', user.credentials);
      await connection.ask('use', 'test', database);
      const { stamp } = this.copy;
      this.state = `beginning at ${name} since ${stamp}`;
      const since = stamp === undefined ? 'NONE' : '$stamp';
      const answer = (await connection.query(`LIVE QUERY ${text} SINCE ${since}`, { stamp })) as ResultAnswer;
      this.#count(answer.resumed ?? 'first');
      this.copy.begin(answer);
      this.atMoment(this.copy.value);
      this.state = `following at ${name}: ${answer.resumed} since ${stamp}`;
      await this.#receive(connection, answer.id);
    } finally {
      connection.cut();
    }
  }

  async #receive(connection: RpcConnection<ResultMessage>, id: string): Promise<void> {
    let isLost = false;
    const killed = new Promise<void>((resolve) => {
      connection.listen((message) => {
        if (isLost || message.id !== id) return;
        this.#count('notifications');
        isLost = this.random(LOST) === 0 || message.action === 'KILLED';
        if (isLost) resolve();
        else if (this.copy.take(message)) this.atMoment(this.copy.value);
      });
    });
    await Promise.race([killed, connection.closed]);
    this.#count(isLost ? 'left' : 'cut off');
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}
