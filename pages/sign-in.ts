/** The form to sign in, and the bar that shows who did and picks namespace and database. */
import { element } from './element.js';
import { comeBack, leaveForProvider, type ProviderAccess, providerAccesses } from './provider-sign-in.js';
import { type Credentials, databases, namespaces, signIn } from './server.js';
import { keep, type Level, type SignedIn, signedIn, signOut } from './session.js';

/** What a level is called, and what of a place its sign-in needs. */
const LEVELS: Readonly<Record<Level, { readonly title: string; readonly needs: readonly ('ns' | 'db')[] }>> = {
  root: { title: 'Root user', needs: [] },
  namespace: { title: 'Namespace user', needs: ['ns'] },
  database: { title: 'Database user', needs: ['ns', 'db'] },
  record: { title: 'Record access', needs: ['ns', 'db'] },
  guest: { title: 'Guest, without signing in', needs: [] },
};

/** Values of fields with such names are hidden while they are typed. */
const HIDDEN = /pass|secret|code|token|key/i;

/** Shows the form or the bar in `host`, and tells whenever it is another who is signed in, or another place. */
export class SignIn {
  readonly #host: HTMLElement;
  readonly #changed: (session: SignedIn | undefined) => void;

  constructor(host: HTMLElement, changed: (session: SignedIn | undefined) => void) {
    this.#host = host;
    this.#changed = changed;
    const returned = comeBack();
    this.#show();
    returned?.then(
      (session) => this.#enter(session),
      (thrown: Error) => this.#show(thrown.message),
    );
  }

  /** The token is no longer valid. */
  expire(): void {
    signOut();
    this.#show('Your sign-in has ended. Sign in again.');
  }

  #show(message = ''): void {
    const session = signedIn();
    this.#host.replaceChildren(session === undefined ? this.#form(message) : this.#bar(session));
    this.#changed(session);
  }

  #enter(session: SignedIn): void {
    keep(session);
    this.#show();
  }

  #form(message: string): HTMLElement {
    const level = element('select', { id: 'level', name: 'level' });
    for (const [value, { title }] of Object.entries(LEVELS)) level.append(element('option', { value }, title));
    const user = input('user', 'username');
    const pass = input('pass', 'current-password', 'password');
    const access = input('access', 'off');
    const namespace = input('namespace', 'off');
    const database = input('database', 'off');
    const variables = new Variables();
    const error = element('p', { className: 'error', role: 'alert' }, message);
    const button = element('button', { type: 'submit' }, 'Sign in');
    const providers = element('div', { className: 'providers' });
    const ofUser = [field('User', user), field('Password', pass)];
    const ofRecord = [field('Access method', access), variables.rows];
    const form = element(
      'form',
      { className: 'sign-in' },
      element('h2', {}, 'Sign in'),
      field('As', level),
      ...ofUser,
      ...ofRecord,
      field('Namespace', namespace),
      field('Database', database),
      button,
      providers,
      error,
    );
    const fail = (thrown: unknown) => {
      error.textContent = (thrown as Error).message;
    };
    const offer = async () => {
      const found = await providerAccesses(namespace.value, database.value);
      providers.replaceChildren(...found.map((way) => providerButton(way, fail)));
    };
    namespace.addEventListener('change', offer);
    database.addEventListener('change', offer);
    void offer();
    const chosen = () => level.value as Level;
    const adapt = () => {
      const { needs } = LEVELS[chosen()];
      const isUser = chosen() !== 'record' && chosen() !== 'guest';
      show(ofUser, isUser);
      show(ofRecord, chosen() === 'record');
      user.required = isUser;
      access.required = chosen() === 'record';
      namespace.required = needs.includes('ns');
      database.required = needs.includes('db');
      button.textContent = chosen() === 'guest' ? 'Go on' : 'Sign in';
    };
    level.addEventListener('change', adapt);
    adapt();
    const place = () => ({ namespace: namespace.value, database: database.value });
    const credentials = (): Credentials => {
      const { needs } = LEVELS[chosen()];
      return {
        ...(chosen() === 'record' ? variables.values : { user: user.value, pass: pass.value }),
        ...(chosen() === 'record' && { AC: access.value }),
        ...(needs.includes('ns') && { NS: namespace.value }),
        ...(needs.includes('db') && { DB: database.value }),
      };
    };
    const submit = async () => {
      error.textContent = '';
      button.disabled = true;
      try {
        if (chosen() === 'guest') return this.#enter({ level: 'guest', name: 'guest', ...place() });
        const token = await signIn(credentials());
        const name = chosen() === 'record' ? access.value : user.value;
        this.#enter({ level: chosen(), name, token, ...place() });
      } catch (thrown) {
        fail(thrown);
      } finally {
        button.disabled = false;
      }
    };
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void submit();
    });
    return form;
  }

  #bar(session: SignedIn): HTMLElement {
    const { level, name } = session;
    const who = level === 'guest' ? 'Not signed in (guest)' : `Signed in as ${name} (${LEVELS[level].title})`;
    const out = element('button', { type: 'button' }, level === 'guest' ? 'Sign in' : 'Sign out');
    out.addEventListener('click', () => {
      signOut();
      this.#show();
    });
    return element('div', { className: 'signed-in' }, element('strong', {}, who), this.#place(session), out);
  }

  /** Sign-ins to a database are good for that one alone. */
  #place(session: SignedIn): HTMLElement {
    const { level } = session;
    if (LEVELS[level].needs.includes('db')) {
      return element('span', {}, `in ${session.namespace}/${session.database}`);
    }
    const namespace = input('namespace', 'off');
    const database = input('database', 'off');
    Object.assign(namespace, {
      value: session.namespace,
      required: true,
      readOnly: LEVELS[level].needs.includes('ns'),
    });
    Object.assign(database, { value: session.database, required: true });
    const place = () => ({ ...session, namespace: namespace.value, database: database.value });
    const form = element(
      'form',
      { className: 'place' },
      field(
        'Namespace',
        namespace,
        offering(namespace, 'namespaces', () => namespaces(session)),
      ),
      field(
        'Database',
        database,
        offering(database, 'databases', () => databases(place())),
      ),
      element('button', { type: 'submit' }, 'Use'),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#enter(place());
    });
    return form;
  }
}

/** What a record access wants to know: names and values, as many as it takes. */
class Variables {
  readonly rows = element('fieldset', {}, element('legend', {}, 'What it asks for'));
  readonly #pairs: (readonly [name: HTMLInputElement, value: HTMLInputElement])[] = [];

  constructor() {
    const more = element('button', { type: 'button' }, 'One more');
    more.addEventListener('click', () => this.#add('', more).focus());
    this.rows.append(more);
    this.#add('email', more);
    this.#add('password', more);
  }

  get values(): Credentials {
    return Object.fromEntries(
      this.#pairs.filter(([name]) => name.value !== '').map(([name, value]) => [name.value, value.value]),
    );
  }

  #add(called: string, before: HTMLElement): HTMLInputElement {
    const name = element('input', { value: called, ariaLabel: 'Name of a variable', autocomplete: 'off' });
    const value = element('input', { ariaLabel: 'Its value', autocomplete: 'off' });
    const hide = () => {
      value.type = HIDDEN.test(name.value) ? 'password' : 'text';
    };
    name.addEventListener('input', hide);
    hide();
    this.#pairs.push([name, value]);
    before.before(element('div', { className: 'variable' }, name, value));
    return name;
  }
}

function providerButton(access: ProviderAccess, fail: (thrown: unknown) => void): HTMLElement {
  const button = element('button', { type: 'button' }, `Sign in with ${access.AC}`);
  button.addEventListener('click', () => void leaveForProvider(access).catch(fail));
  return button;
}

function input(name: string, autocomplete: AutoFill, type = 'text'): HTMLInputElement {
  return element('input', { id: name, name, type, autocomplete, spellcheck: false });
}

function field(title: string, control: HTMLElement, ...more: readonly HTMLElement[]): HTMLElement {
  return element('div', { className: 'field' }, element('label', { htmlFor: control.id }, title), control, ...more);
}

/** Names to choose from for an input, which are asked for when it is entered. */
function offering(of: HTMLInputElement, id: string, names: () => Promise<string[]>): HTMLElement {
  const list = element('datalist', { id });
  of.setAttribute('list', id);
  of.addEventListener('focus', () => {
    void names().then((found) => list.replaceChildren(...found.map((value) => element('option', { value }))));
  });
  return list;
}

function show(elements: readonly HTMLElement[], visible: boolean): void {
  for (const each of elements) each.hidden = !visible;
}
