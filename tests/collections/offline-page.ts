/** A page with a list of tasks, in a browser whose connection can be cut. */
import { type Collection, createCollection } from '@tanstack/db';
import { RecordId, Uuid } from 'surrealdb';
import { expect } from 'vitest';
import { MemoryStorage } from '../../collections/browser-store.js';
import type { Session } from '../../collections/session.js';
import { liveCollection, type Row } from '../../collections/tanstack-db.js';
import type { RunningServer } from '../../src/server/server.js';
import { CuttingProxy } from '../support/cutting-proxy.js';
import { newSession, PASSWORD, type Person } from './app.js';

export interface Task extends Row {
  readonly id: RecordId;
  text: string;
  done: boolean;
}

const NAME = 'tasks';

/** Connected, and signed up. */
export async function newPage(server: RunningServer, email: string): Promise<OfflinePage> {
  const proxy = await CuttingProxy.start(Number(new URL(server.url).port), '');
  const page = new OfflinePage(proxy);
  await page.signUp(email);
  return page;
}

export class OfflinePage {
  readonly #proxy: CuttingProxy;
  readonly #storage = new MemoryStorage();
  session: Session<Person>;
  #stop: () => void;
  #tasks: Collection<Task, string> | undefined;

  constructor(proxy: CuttingProxy) {
    this.#proxy = proxy;
    this.session = this.#newSession();
    this.#stop = this.session.start();
  }

  #newSession(): Session<Person> {
    return newSession(`http://127.0.0.1:${this.#proxy.port}`, this.#storage, { offline: { receipts: 'receipt' } });
  }

  async signUp(email: string): Promise<void> {
    await this.session.signUp({ email, password: PASSWORD });
    await this.#open();
  }

  async signIn(email: string): Promise<void> {
    await this.session.signIn({ email, password: PASSWORD });
    await this.#open();
  }

  async #open(): Promise<void> {
    await expect.poll(() => this.session.state.status).toBe('signed-in');
    await this.#tasks?.cleanup();
    this.#show();
    await this.#tasks?.preload();
  }

  #show(): void {
    const { client, outbox } = this.session;
    const options = liveCollection<Task>({ client, outbox, id: NAME, query: 'SELECT * FROM task' });
    this.#tasks = createCollection({ ...options, startSync: true }) as unknown as Collection<Task, string>;
  }

  /** As its user does: all that isn't in the browser's storage is gone. */
  reload(): void {
    this.#stop();
    void this.#tasks?.cleanup();
    this.session = this.#newSession();
    this.#stop = this.session.start();
    this.#show();
  }

  cut(): void {
    this.#proxy.refuse();
  }

  /** The server gets the next request, whose answer is lost; until `join`, if `thenCut`, there is no connection. */
  loseNextAnswer(thenCut = false): void {
    this.#proxy.cutNext('during', thenCut);
  }

  join(): void {
    this.#proxy.accept();
  }

  add(text: string): string {
    const id = new RecordId('task', Uuid.v7());
    this.insert({ id, text, done: false }).catch(() => undefined);
    return String(id);
  }

  insert(task: Task): Promise<unknown> {
    return this.#all.insert(task).isPersisted.promise;
  }

  tick(key: string): Promise<unknown> {
    return this.change(key, (task) => {
      task.done = true;
    });
  }

  change(key: string, change: (task: Pick<Task, 'text' | 'done'>) => void): Promise<unknown> {
    const { promise } = this.#all.update(key, change).isPersisted;
    promise.catch(() => undefined);
    return promise;
  }

  remove(key: string): void {
    this.#all.delete(key).isPersisted.promise.catch(() => undefined);
  }

  get #all(): Collection<Task, string> {
    return this.#tasks as Collection<Task, string>;
  }

  keys(): string[] {
    return [...this.#all.keys()];
  }

  texts(): string[] {
    return textsOf(this.#all.toArray);
  }

  /** What the browser keeps of the rows. */
  kept(): string[] {
    return textsOf(this.session.outbox?.keptRows<Task>(NAME) ?? []);
  }

  /** How many writes aren't known to be done. */
  pending(): number {
    return this.session.outbox?.size ?? 0;
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#tasks?.cleanup();
    await this.#proxy.close();
  }
}

const textsOf = (tasks: readonly Task[]) => tasks.map(({ text, done }) => `${text}${done ? ' (done)' : ''}`).sort();
