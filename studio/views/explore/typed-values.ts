/**
 * What is typed into the fields of a row: texts, and expressions that the server evaluates. A value is kept as the code
 * that the server gives for it and goes back as this code: the page knows fewer kinds of values than the server does, so
 * that a set, a table or `1.0f` that came through it would be another value.
 */

import { asError } from '../../connection/as-error.js';
import type { StatementSource } from '../../connection/statement-source.js';
import { textLiteral } from '../../connection/surrealql.js';

export interface TypedValue {
  /** Whether `text` is the value itself, or an expression. */
  readonly manner: 'text' | 'surrealql';
  readonly text: string;
  /** An expression with this value, which no longer depends on when it is evaluated. */
  readonly code: string;
}

/** Values by the names of their fields. */
export type Content = Readonly<Record<string, TypedValue>>;

export interface LoadedContent {
  readonly content: Content;
  /** Fields whose values are too large to be written as code. */
  readonly tooLarge: readonly string[];
}

/** Text areas change line ends, and show nothing of U+0000. */
const ALTERED = /[\r\0]/;

/**
 * The values of a record; empty where there is none.
 * @param id the code of its id
 */
export function loadContent(source: StatementSource, id: string): Promise<LoadedContent> {
  return contentOf(source, `(SELECT * FROM ONLY ${id}) ?? {}`);
}

/** The values of an object. @param row an expression */
export async function contentOf(source: StatementSource, row: string): Promise<LoadedContent> {
  const [names] = await source.query<[readonly string[]]>(`RETURN object::keys(${row})`);
  const codes = names.map((name) => {
    const value = `$row[${textLiteral(name)}]`;
    return `RETURN [value::quote(${value}), IF type::is_string(${value}) { ${value} } ELSE { NONE }];`;
  });
  const [, ...fields] = await source.run(`LET $row = ${row};\n${codes.join('\n')}`);
  const content: Record<string, TypedValue> = {};
  const tooLarge: string[] = [];
  for (const [at, field] of fields.entries()) {
    const name = names[at] as string;
    if (field.ok) content[name] = typedAs(...(field.value as [code: string, text: unknown]));
    else tooLarge.push(name);
  }
  return { content, tooLarge };
}

function typedAs(code: string, text: unknown): TypedValue {
  const isText = typeof text === 'string' && !ALTERED.test(text);
  return isText ? { manner: 'text', text, code } : { manner: 'surrealql', text: code, code };
}

/** @throws Error if the server can't evaluate it, with the name of the field */
export async function evaluate(
  source: Pick<StatementSource, 'query'>,
  name: string,
  { manner, text }: Pick<TypedValue, 'manner' | 'text'>,
): Promise<TypedValue> {
  if (manner === 'text') return { manner, text, code: textLiteral(text) };
  try {
    const [code] = await source.query<[string]>(`RETURN value::quote((${text}\n))`);
    return { manner, text, code };
  } catch (error) {
    throw new Error(`${name}: ${asError(error).message}`);
  }
}
