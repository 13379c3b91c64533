/** A database in this process, as the pages of the Studio ask it: what they read of the kinds of the server are texts, numbers and lists. */
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { objectFrom, type Value } from '../../src/value/value.js';
import type { StatementResult, StatementSource } from '../../studio/connection/statement-source.js';

export class EmbeddedSource implements StatementSource {
  readonly #session: Session;

  private constructor(session: Session) {
    this.#session = session;
  }

  static async open(): Promise<EmbeddedSource> {
    const session = (await openDatabase(await openEngine('memory'))).ownerSession();
    await session.use('test', 'test');
    return new EmbeddedSource(session);
  }

  /** The values of all statements, as the server has them. Fails with the first that fails. */
  async values(statements: string, variables: Readonly<Record<string, Value>> = {}): Promise<Value[]> {
    const results = await this.#session.query(statements, objectFrom(variables));
    return results.map(({ outcome }) => {
      if (outcome.ok) return outcome.value;
      throw outcome.error;
    });
  }

  async query<Values extends unknown[]>(statements: string): Promise<Values> {
    return (await this.values(statements)) as unknown[] as Values;
  }

  async run(statements: string): Promise<StatementResult[]> {
    const results = await this.#session.query(statements);
    return results.map(({ outcome }) =>
      outcome.ok
        ? { ok: true, value: outcome.value, type: 'other', time: '' }
        : { ok: false, error: outcome.error, time: '' },
    );
  }
}
