/**
 * Passkeys on the page to sign in (Web Authentication Level 3): each of their forms begins a request, asks the browser,
 * and posts what that says.
 */

/** Shows the forms, where the page is one that may ask. */
export function offerPasskeys(): void {
  if (typeof PublicKeyCredential === 'undefined') return;
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) {
    if (!(form.dataset['origins'] ?? '').split(' ').includes(location.origin)) continue;
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      ask(form).catch(() => fail(form));
    });
  }
}

async function ask(form: HTMLFormElement): Promise<void> {
  const isNew = form.dataset['passkey'] === 'create';
  const { request, options } = await begin(form, isNew);
  const credential = await (isNew
    ? navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
    : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }));
  if (!(credential instanceof PublicKeyCredential)) throw new Error('no passkey was chosen');
  input(form, 'request').value = request;
  input(form, 'credential').value = JSON.stringify(credential.toJSON());
  // Without the event, which would ask again.
  form.submit();
}

interface Begun {
  readonly request: string;
  /** For making one or for signing, as was asked. */
  readonly options: PublicKeyCredentialCreationOptionsJSON & PublicKeyCredentialRequestOptionsJSON;
}

async function begin(form: HTMLFormElement, isNew: boolean): Promise<Begun> {
  const request = input(form, 'request').value;
  const body = {
    challenge: input(form, 'challenge').value,
    ...(request === '' ? isNew && { signup: true, variables: variablesIn(form) } : { request }),
  };
  const answer = await fetch(form.dataset['start'] as string, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error('it was refused');
  return (await answer.json()) as Begun;
}

const PREFIX = 'variable.';

/** What was typed; `variable.name.first` is a field of an object. */
function variablesIn(form: HTMLFormElement): object {
  const variables: Nested = {};
  for (const [name, value] of new FormData(form)) {
    if (!name.startsWith(PREFIX) || typeof value !== 'string' || value === '') continue;
    const path = name.slice(PREFIX.length).split('.');
    let into = variables;
    for (const part of path.slice(0, -1)) {
      const inner = into[part];
      into = into[part] = typeof inner === 'object' ? inner : {};
    }
    into[path.at(-1) as string] = value;
  }
  return variables;
}

interface Nested {
  [name: string]: string | Nested;
}

function input(form: HTMLFormElement, name: string): HTMLInputElement {
  return form.elements.namedItem(name) as HTMLInputElement;
}

function fail(form: HTMLFormElement): void {
  const alert = document.createElement('p');
  alert.setAttribute('role', 'alert');
  alert.textContent = 'No passkey was used. You can try again, or another way.';
  document.querySelector('main [role=alert]')?.remove();
  form.before(alert);
}
