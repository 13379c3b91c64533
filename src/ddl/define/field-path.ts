/** The path at which a field is defined. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Idiom, Part } from '../../language/ast.js';
import { parseIdiom } from '../../language/parse.js';
import { printIdiom } from '../../language/print.js';
import type { Compiler, Frame } from '../../runtime/frame.js';
import { toText } from '../../value/text/text.js';

/**
 * The compiled path of a field: as written, or from the text in a param.
 * @throws TesseraError `name_not_string`, `field_path`, when it runs
 */
export function compileFieldPath(path: Idiom, compiler: Compiler): (frame: Frame) => PromiseOrValue<Idiom> {
  if (path.start === undefined || path.parts.length > 0) return () => fieldPath(path);
  const evaluate = compiler.expression(path.start);
  return async (frame) => {
    const value = await evaluate(frame);
    if (typeof value !== 'string') throw failure('name_not_string', { what: 'field name', value: toText(value) });
    return fieldPath(parseIdiom(value));
  };
}

/** A path of names, `*`, `…` and indexes; `['a']` is the name `a`. @throws TesseraError `field_path` for any other */
function fieldPath(path: Idiom): Idiom {
  const parts = path.parts.map(fieldPart);
  if (path.start !== undefined || parts[0]?.kind !== 'field' || parts.includes(undefined)) {
    throw failure('field_path', { path: printIdiom(path) });
  }
  return { kind: 'idiom', parts: parts as Part[] };
}

function fieldPart(part: Part): Part | undefined {
  switch (part.kind) {
    case 'field':
    case 'all':
    case 'flatten':
    case 'last':
      return part;
    case 'index': {
      const value = part.index.kind === 'literal' ? part.index.value : undefined;
      if (typeof value === 'string') return { kind: 'field', name: value };
      return typeof value === 'number' ? part : undefined;
    }
    default:
      return undefined;
  }
}
