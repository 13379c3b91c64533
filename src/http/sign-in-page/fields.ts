/** The fields of the page to sign in: the variables that the clauses of an access method ask people for. */
import { SECRET_NAME } from '../../auth/attempts/clause-variables.js';
import { type Html, html } from '../../base/html.js';
import type { PageEntry } from '../../session/contract.js';
import { isObject, type MutableObject, newObject, type ObjectValue } from '../../value/value.js';

/** Before the names of variables in a form, whose other fields are the page's own. `pages/passkeys.ts` has it, too. */
const PREFIX = 'variable.';

/** What a field is for, which browsers fill in by themselves; the first row that fits its name counts. */
const KINDS: readonly { readonly name: RegExp; readonly type: string; readonly complete: Completion }[] = [
  // Its name has that of a secret in it.
  { name: /^(post|postal|zip)_?code$/i, type: 'text', complete: { signin: 'postal-code', signup: 'postal-code' } },
  { name: SECRET_NAME, type: 'password', complete: { signin: 'current-password', signup: 'new-password' } },
  { name: /mail$/i, type: 'email', complete: { signin: 'username', signup: 'username' } },
  { name: /^(user|login|nick)/i, type: 'text', complete: { signin: 'username', signup: 'username' } },
  { name: /^name$/i, type: 'text', complete: { signin: 'username', signup: 'name' } },
  { name: /phone|^tel$/i, type: 'tel', complete: { signin: 'tel', signup: 'tel' } },
  { name: /(?:)/, type: 'text', complete: { signin: 'on', signup: 'on' } },
];

export type Entering = PageEntry['way'];
/** Tokens of the attribute `autocomplete` (HTML, section 4.10.18.7). */
type Completion = Readonly<Record<Entering, string>>;

const WORDS: Readonly<Record<string, string>> = { pass: 'Password', pwd: 'Password', email: 'E-mail address' };

/**
 * An input for a variable; secrets are never shown again.
 * @param given what was typed before
 */
export function inputFor(path: string, entry: Entering, given: string | undefined, isRequired = true): Html {
  const [name = ''] = path.split('.').slice(-1);
  const { type, complete } = KINDS.find((row) => row.name.test(name)) as (typeof KINDS)[number];
  const value = type === 'password' || given === undefined ? undefined : html` value="${given}"`;
  const required = isRequired ? html` required` : undefined;
  return html`<label>${labelOf(name)}
<input name="${PREFIX}${path}" type="${type}" autocomplete="${complete[entry]}"${value}${required}></label>`;
}

/** What people read of a name in code: `first_name` is First name. */
export function labelOf(name: string): string {
  const known = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
  if (known !== undefined) return known;
  const words = name
    .replace(/_/g, ' ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What was typed into the fields. */
export function typedIn(form: URLSearchParams): ReadonlyMap<string, string> {
  const fields = [...form].filter(([name]) => name.startsWith(PREFIX));
  return new Map(fields.map(([name, value]) => [name.slice(PREFIX.length), value]));
}

/** The variables of a form: those that are asked for and were filled in, `name.first` as a field of an object. */
export function filledIn(form: URLSearchParams, asked: readonly string[]): ObjectValue {
  const variables = newObject();
  const typed = typedIn(form);
  for (const path of asked) {
    const value = typed.get(path);
    if (value !== undefined && value !== '') put(variables, path.split('.'), value);
  }
  return variables;
}

function put(into: MutableObject, [name = '', ...rest]: readonly string[], value: string): void {
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  const inner = into[name] ?? newObject();
  if (!isObject(inner)) return;
  into[name] = inner;
  put(inner as MutableObject, rest, value);
}
