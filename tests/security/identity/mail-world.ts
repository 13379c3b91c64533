/** A database with a real mail server beside it, and everything that the server writes somewhere. */
import { expect } from 'vitest';
import { findDatabase } from '../../../src/catalog/definitions/lookup.js';
import { entriesOf } from '../../../src/catalog/entries.js';
import type { OutgoingMail } from '../../../src/catalog/mail/outbox.js';
import { realEnvironment } from '../../../src/env/real.js';
import { readTarget } from '../../../src/functions/network/targets.js';
import { ServerMetrics } from '../../../src/metrics/server-metrics.js';
import type { Session } from '../../../src/session/contract.js';
import type { OpenDatabase } from '../../../src/session/database/database.js';
import type { DatabaseOptions } from '../../../src/session/database/options.js';
import { MemoryEngine } from '../../../src/storage/memory/memory.js';
import { withRetries } from '../../../src/storage/retry.js';
import { toText } from '../../../src/value/text/text.js';
import { isObject, type ObjectValue, type Value } from '../../../src/value/value.js';
import { answer, World } from '../../support/world.js';

export const CODE = '40718236';
export const LINK = 'https://db.example/confirm#Zm9yYmlkZGVuLWxpbms';
export const PASSWORD = 'the password of the mail server';

/** What is tested takes as long as connections on this machine do. */
export const PATIENCE = { timeout: 20_000, interval: 10 };

/** By which servers on this machine may be reached. */
export const HERE = [readTarget('127.0.0.1')!];

export class MailWorld {
  readonly engine = new MemoryEngine(realEnvironment);
  readonly metrics = new ServerMetrics();
  /** What went to the log of the server, and to the audit log. */
  readonly log: string[] = [];
  readonly audited: string[] = [];
  #world!: World;

  static async open(options: DatabaseOptions = {}): Promise<MailWorld> {
    const opened = new MailWorld();
    opened.#world = await World.open(
      {
        network: { allow: HERE },
        metrics: opened.metrics,
        report: (error) => void opened.log.push(`${error.code} ${error.message} ${String(error.cause)}`),
        audit: { sink: { write: (lines) => void opened.audited.push(...lines) } },
        ...options,
      },
      opened.engine,
    );
    return opened;
  }

  get world(): World {
    return this.#world;
  }

  get database(): OpenDatabase {
    return this.#world.database;
  }

  get owner(): Session {
    return this.#world.owner;
  }

  ask(text: string): Promise<string> {
    return answer(this.owner, text);
  }

  /** Mails are sent by the server at a port of this machine. */
  async configure(port: number, from = 'The Shop <no-reply@shop.example>'): Promise<void> {
    const text = `DEFINE CONFIG OVERWRITE MAIL FROM '${from}' SMTP 'smtp://127.0.0.1:${port}'`;
    expect(await this.ask(text)).toBe('NONE');
  }

  /** Queues mails, as the transaction of a sign-in does. */
  async queue(...mails: readonly Partial<OutgoingMail>[]): Promise<void> {
    const expires = realEnvironment.clock.now() + 600_000_000_000n;
    await withRetries(this.engine, async (transaction) => {
      const { id } = (await findDatabase(transaction, 'test', 'test'))!;
      for (const mail of mails)
        await this.database.outbox.queue(
          transaction,
          { id, namespace: 'test', name: 'test' },
          {
            to: 'ann@example.com',
            subject: 'Your code',
            text: `Your code is ${CODE}. Or open ${LINK}`,
            html: `<b>${CODE}</b> <a href="${LINK}">sign in</a>`,
            kind: 'code',
            code: CODE,
            link: LINK,
            expires,
            ...mail,
          },
        );
    });
  }

  /** The rows of INFO FOR MAIL. */
  async mails(): Promise<ObjectValue[]> {
    const [result] = await this.owner.query('INFO FOR MAIL');
    if (result === undefined || !result.outcome.ok) throw new Error('INFO FOR MAIL has failed');
    return (result.outcome.value as Value[]).filter(isObject);
  }

  async states(): Promise<string[]> {
    return (await this.mails()).map((mail) => String(mail['state']));
  }

  /** Everything in the store, as text. */
  async stored(): Promise<string> {
    const transaction = await this.engine.begin({ writable: false });
    const entries = await entriesOf(transaction, { from: '', to: '\xff\xff' });
    transaction.cancel();
    return entries.map(([key, value]) => `${key} ${toText(value)}`).join('\n');
  }

  close(): Promise<void> {
    return this.#world.close();
  }
}
