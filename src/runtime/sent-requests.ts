/**
 * What a statement has done outside of its transaction, which a repetition after a conflict doesn't do again. HTTP
 * requests: the same request has the same answer, in the order in which they were sent. And tokens taken from limits.
 */
import { createHash } from 'node:crypto';
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { NetworkAnswer } from '../env/network.js';
import { failure } from '../errors/error.js';
import type { HttpClient } from '../functions/calls/contract.js';
import type { HttpFetchRequest } from '../functions/network/fetcher.js';

interface SentRequest {
  readonly digest: string;
  /** `undefined` where it was too large to be kept. */
  answer: Promise<NetworkAnswer> | undefined;
}

/** Bytes of answers that are kept for a repetition. */
const MAX_KEPT = 2 ** 20;

/** Requests that may be sent as often as one likes (RFC 9110 §9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);

export class SentRequests {
  #sent: SentRequest[] | undefined;
  #next = 0;
  #kept = 0;
  /** How often limits have admitted the statement, and this attempt at it. */
  #admitted = 0;
  #used = 0;

  /** Begins a statement. */
  clear(): void {
    this.#sent = undefined;
    this.#kept = 0;
    this.#next = 0;
    this.#admitted = 0;
    this.#used = 0;
  }

  /** Begins an attempt at it. */
  begin(): void {
    this.#next = 0;
    this.#used = 0;
  }

  /** Asks a limit, unless an earlier attempt was admitted: `undefined`, or the seconds to wait. */
  async admit(take: () => PromiseOrValue<number | undefined>): Promise<number | undefined> {
    if (this.#used === this.#admitted) {
      const wait = await take();
      if (wait !== undefined) return wait;
      this.#admitted++;
    }
    this.#used++;
    return undefined;
  }

  /** The client that sends what no earlier attempt has sent. */
  over(network: HttpClient): HttpClient {
    return { fetch: (request, checkpoint) => this.#fetch(network, request, checkpoint) };
  }

  /** @throws TesseraError `http_not_repeatable`, and as `HttpClient.fetch` */
  #fetch(network: HttpClient, request: HttpFetchRequest, checkpoint: () => void): Promise<NetworkAnswer> {
    this.#sent ??= [];
    const digest = digestOf(request);
    const earlier = this.#sent[this.#next++];
    if (earlier !== undefined) {
      if (earlier.digest !== digest)
        throw failure('http_not_repeatable', { reason: 'with other requests than before' });
      if (earlier.answer !== undefined) return earlier.answer;
      if (!SAFE.has(request.method)) throw failure('http_not_repeatable', { reason: 'without the answer, a long one' });
      return network.fetch(request, checkpoint);
    }
    const answer = network.fetch(request, checkpoint);
    const sent: SentRequest = { digest, answer };
    this.#sent.push(sent);
    return answer.then((given) => {
      this.#kept += given.body.length;
      if (this.#kept > MAX_KEPT) {
        this.#kept -= given.body.length;
        sent.answer = undefined;
      }
      return given;
    });
  }
}

function digestOf({ method, url, headers = {}, body }: HttpFetchRequest): string {
  const head = JSON.stringify([method, url, Object.entries(headers)]);
  return createHash('sha256')
    .update(head)
    .update(body ?? '')
    .digest('base64');
}
