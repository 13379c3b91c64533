/**
 * The statements in a program: templates with the tag `surql` of the official client.
 *
 *     const adults = surql<Queries['adults']>`SELECT name FROM person WHERE age >= ${age}`;
 *
 * A template that is part of a statement has `/* tessera-ignore *\/` before it.
 */
import jsTokens from 'js-tokens';
import type { QuerySource } from './query-source.js';

const TAG = 'surql';
const IGNORED = /tessera-ignore/;
/** `<Queries['adults']>`, without blanks. */
const TYPE_ARGUMENT = /^<Queries\[(['"])(.*)\1\]>$/s;

/** What matters of a token of a program or of JSX. */
interface Token {
  readonly type: string;
  readonly value: string;
  readonly start: number;
}

/** The templates of a program; JSX is read if the name of the file says so. */
export function taggedTemplates(file: string, program: string): QuerySource[] {
  const tokens = tokensOf(program, /x$/.test(file));
  const found: QuerySource[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'NoSubstitutionTemplate' && token.type !== 'TemplateHead') continue;
    const tag = tagBefore(tokens, at);
    if (tag !== undefined && !tag.isIgnored) found.push({ file, ...templateAt(program, tokens, at), ...tag.named });
  }
  return found;
}

function tokensOf(program: string, jsx: boolean): Token[] {
  const tokens: Token[] = [];
  let start = 0;
  for (const { type, value } of jsx ? jsTokens(program, { jsx }) : jsTokens(program)) {
    if (type !== 'WhiteSpace' && type !== 'LineTerminatorSequence') tokens.push({ type, value, start });
    start += value.length;
  }
  return tokens;
}

interface Tag {
  readonly named: { readonly name?: string };
  readonly isIgnored: boolean;
}

/** The tag of the template at a token; `undefined` if that has another one, or none. */
function tagBefore(tokens: readonly Token[], template: number): Tag | undefined {
  let at = template - 1;
  let argument = '';
  if (tokens[at]?.value === '>') {
    while (at >= 0 && tokens[at]?.value !== TAG) argument = `${tokens[at--]?.value}${argument}`;
    if (!argument.startsWith('<')) return undefined;
  }
  if (tokens[at]?.value !== TAG || tokens[at - 1]?.value === '.') return undefined;
  const [, , name] = TYPE_ARGUMENT.exec(argument) ?? [];
  const before = tokens.slice(0, at).at(-1);
  const isIgnored = before?.type.endsWith('Comment') === true && IGNORED.test(before.value);
  return { named: name === undefined ? {} : { name }, isIgnored };
}

/** The statements of a template, with parameters in place of its values. */
function templateAt(program: string, tokens: readonly Token[], at: number): Pick<QuerySource, 'text' | 'values'> {
  const [first] = tokens.slice(at, at + 1) as [Token];
  const values: string[] = [];
  let text = `${blank(program.slice(0, first.start))} ${content(first)}`;
  if (first.type === 'NoSubstitutionTemplate') return { text, values };
  let depth = 0;
  let from = first.start + first.value.length;
  for (const token of tokens.slice(at + 1)) {
    if (token.type === 'TemplateHead') depth++;
    if (depth === 0 && (token.type === 'TemplateMiddle' || token.type === 'TemplateTail')) {
      const name = `_${values.length.toString(36)}`;
      values.push(name);
      text += `${inPlaceOf(program.slice(from - 2, token.start + 1), `$${name}`)}${content(token)}`;
      if (token.type === 'TemplateTail') return { text, values };
      from = token.start + token.value.length;
    } else if (token.type === 'TemplateTail') depth--;
  }
  return { text, values };
}

/** A parameter as long as the value that it replaces, with as many lines. */
function inPlaceOf(value: string, parameter: string): string {
  let spare = parameter.length;
  return parameter + blank(value).replaceAll(' ', (space) => (spare-- > 0 ? '' : space));
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

const DELIMITERS = /^[`}]|(?:`|\$\{)$/g;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** What a piece of a template says. */
function content({ value }: Token): string {
  return value.replace(DELIMITERS, '').replace(/\\(.)/gs, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
}
