/** The row of tabs: each opens a document. Arrows go from one to the next, Delete closes. */
import { element } from '../element.js';

export interface TabBarOptions {
  /** Of what the tabs show. */
  readonly panel: string;
  open(at: number): void;
  add(): void;
  close(at: number): void;
}

export class TabBar {
  readonly element: HTMLElement;
  readonly #options: TabBarOptions;
  readonly #tabs = element('div', { role: 'tablist', className: 'tabs' });
  readonly #close = element('button', { type: 'button' }, '×');
  #open = 0;

  constructor(options: TabBarOptions) {
    this.#options = options;
    this.#tabs.setAttribute('aria-label', 'Documents');
    const add = element('button', { type: 'button' }, '+');
    add.setAttribute('aria-label', 'New tab');
    add.addEventListener('click', () => options.add());
    this.#close.addEventListener('click', () => options.close(this.#open));
    this.#tabs.addEventListener('keydown', (event) => this.#pressed(event));
    this.element = element('div', { className: 'tab-bar' }, this.#tabs, add, this.#close);
  }

  /** Shows tabs of these names, one of which is open. */
  show(names: readonly string[], open: number): void {
    const hadFocus = this.#tabs.contains(document.activeElement);
    this.#open = open;
    const tabs = names.map((name, at) => {
      const tab = element('button', { type: 'button', role: 'tab', tabIndex: at === open ? 0 : -1 }, name);
      tab.setAttribute('aria-selected', String(at === open));
      tab.setAttribute('aria-controls', this.#options.panel);
      tab.addEventListener('click', () => this.#options.open(at));
      return tab;
    });
    this.#tabs.replaceChildren(...tabs);
    this.#close.setAttribute('aria-label', `Close the tab ${names[open]}`);
    if (hadFocus) tabs[open]?.focus();
  }

  #pressed(event: KeyboardEvent): void {
    const last = this.#tabs.childElementCount - 1;
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: this.#open === 0 ? last : this.#open - 1,
      ArrowRight: this.#open === last ? 0 : this.#open + 1,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target !== undefined) this.#options.open(target);
    else if (event.key === 'Delete') this.#options.close(this.#open);
    else return;
    event.preventDefault();
  }
}
