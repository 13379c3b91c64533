/** Names of a database as TypeScript has them. */
import { terminalText } from '../terminal-text.js';

/** Names that generated text uses itself, or that no type may have. */
const TAKEN = [
  'DateTime Decimal Duration FileRef Geometry GeometryCollection GeometryLine GeometryMultiLine GeometryMultiPoint GeometryMultiPolygon',
  'GeometryPoint GeometryPolygon Range RecordId Table Uuid ArrayBuffer Record Set Tables Inputs Functions Params',
  'BoundQuery Queries QueryParameters StatementRunner Promise',
  'Closure Datetime FileReference Float Regex SetValue Uint8Array',
  'any unknown never void undefined null string number bigint boolean symbol object',
].flatMap((names) => names.split(' '));

const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;

/** Reserved words of TypeScript. */
const RESERVED = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function
  if implements import in instanceof interface let new null package private protected public return static super switch this throw true try
  typeof var void while with yield`.split(/\s+/),
);

/** Gives types their names: `order_line` is `OrderLine`. No two are the same. */
export class TypeNames {
  readonly #taken = new Set(TAKEN);

  take(name: string): string {
    const words = name.split(/[^\p{ID_Continue}]+|_/u).filter((word) => word !== '');
    const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
    const stem = IDENTIFIER.test(joined) ? joined : `_${joined}`;
    let taken = stem;
    for (let number = 2; this.#taken.has(taken); number++) taken = `${stem}${number}`;
    this.#taken.add(taken);
    return taken;
  }
}

/** Whether a function may have such a name. */
export function isFunctionName(name: string): boolean {
  return IDENTIFIER.test(name) && !RESERVED.has(name);
}

/** As the name of a property. */
export function propertyName(name: string): string {
  return IDENTIFIER.test(name) ? name : stringLiteral(name);
}

/** As the name of a parameter; no two of one function are the same. */
export function parameterNames(names: readonly string[]): string[] {
  const usable = names.map((name, at) => (IDENTIFIER.test(name) && !RESERVED.has(name) ? name : `parameter${at + 1}`));
  return usable.map((name, at) => (usable.indexOf(name) === at ? name : `${name}_${at + 1}`));
}

/** As a string, in which all control characters are escaped. */
export function stringLiteral(text: string): string {
  const content = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `'${content.replace(/[\p{Cc}\u2028\u2029]/gu, escaped)}'`;
}

/** As a template without values, which keeps the lines of a text; as a string where something in it can't be seen. */
export function templateLiteral(text: string): string {
  if (/[^\P{Cc}\n\t]|[\u2028\u2029]/u.test(text)) return stringLiteral(text);
  return `\`${text.replace(/[\\`]|\$\{/g, '\\$&')}\``;
}

/** As what is said before a declaration. Control characters are replaced: the text may go to a terminal. */
export function documentation(text: string | undefined, indent = ''): string {
  if (text === undefined) return '';
  const lines = text
    .replaceAll('*/', '*\\/')
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map(terminalText);
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}
