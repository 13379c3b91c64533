/** The pages of the documentation that the server has: none where it serves none (`--deny-http docs`). */
import { Store } from '../base/store.js';

export interface ManualPage {
  readonly title: string;
  readonly href: string;
}

/** As `scripts/manual.mjs` writes it. */
interface Listed {
  readonly address: string;
  readonly title: string;
}

export const manual = new Store<readonly ManualPage[]>([]);

async function load(): Promise<void> {
  const answer = await fetch('/docs/pages.json', { credentials: 'omit' });
  if (!answer.ok) return;
  const pages = (await answer.json()) as readonly Listed[];
  manual.value = pages.map(({ address, title }) => ({
    title,
    href: address === '' ? '/docs' : `/docs/${address}`,
  }));
}

// A page that can't be loaded is one that isn't linked.
load().catch(() => {});
