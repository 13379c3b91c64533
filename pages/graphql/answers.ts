/** The answers to a request: one, or those of a subscription, the latest first. */
import type { ExecutionResult } from 'graphql';
import { element } from '../element.js';

/** Answers of a subscription that are shown. */
const MOST_SHOWN = 100;

export class Answers {
  /** How it stands, in a line. */
  readonly status = element('span', { className: 'status', role: 'status' });
  readonly list = element('section', { className: 'answers', tabIndex: 0 });
  #count = 0;
  #begun = 0;

  constructor() {
    this.list.setAttribute('aria-label', 'Answers');
  }

  begin(): void {
    this.#count = 0;
    this.#begun = performance.now();
    this.list.replaceChildren();
    this.status.textContent = 'Waiting …';
  }

  add(answer: ExecutionResult): void {
    this.#count++;
    this.list.prepend(element('pre', {}, JSON.stringify(answer, null, 2)));
    if (this.list.childElementCount > MOST_SHOWN) this.list.lastElementChild?.remove();
    this.status.textContent = `${this.#count} so far`;
  }

  end(fault?: string): void {
    const time = Math.round(performance.now() - this.#begun);
    this.status.textContent = this.#count > 1 ? `${this.#count} answers` : `${time} ms`;
    if (fault !== undefined) this.refuse(fault);
  }

  /** Says that nothing can be done, and why. */
  refuse(fault: string): void {
    this.list.prepend(element('p', { role: 'alert' }, fault));
  }
}
