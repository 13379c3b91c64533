/** Requests to `/sql` of servers that may end at any moment, each with what is known of whether it was done. */

export type Outcome = 'committed' | 'aborted' | 'unknown';

export interface Judged {
  readonly outcome: Outcome;
  /** Of its statements, where it was committed. */
  readonly results: readonly unknown[];
  /** Why it was not; those that differ only in a time are one. */
  readonly reason?: string;
}

interface Entry {
  readonly status: 'OK' | 'ERR';
  readonly result: unknown;
}

/** Milliseconds without an answer after which a client gives up. */
const PATIENCE = 20_000;

export class JudgedRequests {
  #token = '';

  async signIn(url: string, root: Readonly<Record<string, string>>): Promise<void> {
    const headers = { accept: 'application/json' };
    const response = await fetch(`${url}/signin`, { method: 'POST', headers, body: JSON.stringify(root) });
    this.#token = ((await response.json()) as { token: string }).token;
  }

  /** Statements that all succeed or all fail. */
  async run(url: string, database: string, text: string): Promise<Judged> {
    try {
      const entries = await this.#send(url, database, text);
      const failed = entries.filter(({ status }) => status === 'ERR').map(({ result }) => String(result));
      if (failed.length === 0) return { outcome: 'committed', results: entries.map(({ result }) => result) };
      const reason = failed.find((each) => !each.includes('not executed')) ?? String(failed[0]);
      return notDone(failed.some(isUnknown) ? 'unknown' : 'aborted', reason);
    } catch (error) {
      const { message, cause } = error as { readonly message: string; readonly cause?: { readonly code?: string } };
      const isRefused = error instanceof Refused && !isUnknown(message);
      return notDone(isRefused ? 'aborted' : isUnsent(cause?.code), cause?.code ?? message);
    }
  }

  /** The results. @throws Error where it was not done, or that isn't known */
  async mustRun(url: string, database: string, text: string): Promise<readonly unknown[]> {
    const { outcome, results, reason } = await this.run(url, database, text);
    if (outcome !== 'committed') throw new Error(`${outcome}: ${reason}`);
    return results;
  }

  async #send(url: string, database: string, text: string): Promise<readonly Entry[]> {
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${this.#token}`,
      'svc-ns': 'test',
      'svc-db': database,
    };
    const signal = AbortSignal.timeout(PATIENCE);
    const response = await fetch(`${url}/sql`, { method: 'POST', headers, body: text, signal });
    const answer = await response.text();
    if (!response.ok) throw new Refused((JSON.parse(answer) as { readonly information: string }).information);
    return JSON.parse(answer) as readonly Entry[];
  }
}

/** The server has answered that it did nothing. */
class Refused extends Error {}

function notDone(outcome: Outcome, reason: string): Judged {
  return { outcome, results: [], reason: reason.replaceAll(/\d+ ms/g, 'N ms') };
}

function isUnknown(message: string): boolean {
  return message.includes('unknown whether');
}

/** What never reached a server was not done. */
function isUnsent(code: string | undefined): 'aborted' | 'unknown' {
  return code === 'ECONNREFUSED' ? 'aborted' : 'unknown';
}
