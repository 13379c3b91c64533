/**
 * `GET /auth/:ns/:db` without an app: takes the part of one, which leads to the page and takes over. It shows what the
 * session is, and keeps nothing of it.
 */
import { element } from './element.js';
import { claimsOf, drawProof } from './pkce.js';

/** Of what a tab keeps until it comes back. */
const KEPT = `tessera:try-out:${location.pathname}`;

/** What is shown of the claims of a token. */
const SHOWN: Readonly<Record<string, string>> = {
  ID: 'Record',
  AC: 'Access method',
  amr: 'Proved by (amr)',
  acr: 'Assurance (acr)',
};

export function offerTryOut(host: HTMLElement): void {
  const button = host.querySelector('button') as HTMLButtonElement;
  button.hidden = false;
  // Of other pages, browsers don't hash.
  button.disabled = !isSecureContext;
  button.addEventListener('click', () => void begin(host.dataset['redirect'] as string));
  const { code, access } = Object.fromEntries(new URLSearchParams(location.search));
  if (code === undefined || access === undefined) return;
  history.replaceState(null, '', location.pathname);
  const verifier = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  const status = host.querySelector('[role=status]') as HTMLElement;
  takeOver(host.dataset['signIn'] as string, { code, access, verifier: verifier ?? '' })
    .then((claims) => {
      status.textContent = 'You were signed in.';
      show(host.querySelector('dl') as HTMLElement, claims);
      button.textContent = 'Try another way';
    })
    .catch((error: unknown) => {
      status.textContent = `You weren’t signed in: ${error instanceof Error ? error.message : error}`;
    });
}

async function begin(redirect: string): Promise<void> {
  const { verifier, challenge } = await drawProof();
  sessionStorage.setItem(KEPT, verifier);
  location.search = new URLSearchParams({ challenge, redirect }).toString();
}

interface Handed {
  readonly code: string;
  readonly access: string;
  readonly verifier: string;
}

/** The claims of the session's token. @throws Error with what the server says */
async function takeOver(signIn: string, { access, ...proof }: Handed): Promise<Readonly<Record<string, unknown>>> {
  const [ns, db] = location.pathname.split('/').slice(-2).map(decodeURIComponent);
  const answer = await fetch(signIn, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ ns, db, ac: access, ...proof }),
  });
  const { token, information } = (await answer.json()) as {
    readonly token?: string | { readonly access: string };
    readonly information?: string;
  };
  if (token === undefined) throw new Error(information ?? answer.statusText);
  return claimsOf(typeof token === 'string' ? token : token.access);
}

function show(list: HTMLElement, claims: Readonly<Record<string, unknown>>): void {
  list.hidden = false;
  list.replaceChildren(
    ...Object.entries(SHOWN).flatMap(([claim, title]) => [
      element('dt', {}, title),
      element('dd', {}, [claims[claim]].flat().join(', ')),
    ]),
  );
}
