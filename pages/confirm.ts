/**
 * `GET /auth/:ns/:db/:ac/confirm#LINK.CODE`: the page to which mailed links lead. What is behind `#` never leaves the
 * browser until the button is pressed.
 */
const find = <E extends HTMLElement>(selector: string): E => document.querySelector<E>(selector) as E;

export function showLink(): void {
  show(find('#confirm').dataset['state'] === 'expired');
  // Another link that is opened in this tab differs behind `#` alone, which loads nothing.
  addEventListener('hashchange', () => show(false));
}

/** Shows what the address says, and takes it away: neither the history nor a shared screen keeps it. */
function show(isUsed: boolean): void {
  const [link = '', code] = location.hash.slice(1).split('.');
  history.replaceState(null, '', location.pathname);
  const isOpen = !isUsed && link !== '';
  find('#expired').hidden = isOpen;
  find('#go-on').hidden = !isOpen;
  find('#code').hidden = !isOpen || code === undefined;
  // No browser has begun an invitation, and its link is a key of another form.
  find('#begun').hidden = link.startsWith('tessera-invitation-');
  find<HTMLInputElement>('#go-on input').value = link;
  find('#code output').textContent = code ?? '';
}
