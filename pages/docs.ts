/** The pages of the documentation: the search over all of them. What is to be found is loaded when one begins to search. */
import './page.css';
import './docs.css';
import MiniSearch from 'minisearch';
import { element } from './element.js';

/** As `scripts/manual-sections.mjs` writes it. */
interface Section {
  readonly page: string;
  /** Empty for the beginning of a page. */
  readonly heading: string;
  readonly address: string;
  readonly words: string;
}

const MOST = 20;
const box = document.querySelector('search') as HTMLElement;
const input = box.querySelector('input') as HTMLInputElement;
const found = box.querySelector('.found') as HTMLElement;
const status = box.querySelector('[role=status]') as HTMLElement;
const list = box.querySelector('ol') as HTMLElement;

let index: Promise<MiniSearch<Section>> | undefined;

function loadIndex(): Promise<MiniSearch<Section>> {
  index ??= fetchIndex().catch((thrown: unknown) => {
    // The next letter tries it again.
    index = undefined;
    throw thrown;
  });
  return index;
}

async function fetchIndex(): Promise<MiniSearch<Section>> {
  const answer = await fetch('/docs/search.json', { credentials: 'omit' });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const made = new MiniSearch<Section>({
    idField: 'address',
    fields: ['page', 'heading', 'words'],
    storeFields: ['page', 'heading'],
    searchOptions: { combineWith: 'AND', prefix: true, boost: { heading: 4, page: 3 } },
  });
  made.addAll((await answer.json()) as Section[]);
  return made;
}

async function search(): Promise<void> {
  const words = input.value.trim();
  found.hidden = words === '';
  if (found.hidden) return;
  try {
    const results = (await loadIndex()).search(words);
    if (words !== input.value.trim()) return;
    status.textContent = results.length === 0 ? 'Nothing has these words.' : '';
    list.replaceChildren(
      ...results.slice(0, MOST).map(({ id, page, heading }) => {
        const link = element('a', { href: id as string }, (heading || page) as string);
        if (heading !== '') link.append(' ', element('small', {}, page as string));
        // Of a heading of this page, the address stays the same page.
        link.addEventListener('click', () => close());
        return element('li', {}, link);
      }),
    );
  } catch (thrown) {
    status.textContent = `The search can’t be loaded (${(thrown as Error).message}).`;
  }
}

function close(): void {
  found.hidden = true;
}

box.hidden = false;
input.addEventListener('input', () => void search());
input.addEventListener('focus', () => void search());
box.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  close();
  input.focus();
});
document.addEventListener('click', ({ target }) => {
  if (!box.contains(target as Node)) close();
});
