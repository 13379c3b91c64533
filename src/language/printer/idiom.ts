/** Paths as text. */
import { escapeIdentifier } from '../../value/text/quote.js';
import type { DestructureField, Expression, GraphStep, GraphSubject, Idiom, Part, Recursion } from '../ast.js';
import { POWER } from '../precedence.js';
import { groupText, limitText, orderText, projectionsText, splitText } from './clauses.js';
import { clause, clauses, list, type Printer, plainName } from './printer.js';
import { recordKeyText } from './record-key.js';

type PartPrinters = { readonly [K in Part['kind']]: (part: Extract<Part, { kind: K }>, printer: Printer) => string };

const PARTS: PartPrinters = {
  field: ({ name }) => `.${plainName(name)}`,
  index: ({ index }, printer) => `[${printer.expression(index)}]`,
  last: () => '[$]',
  all: () => '.*',
  where: ({ condition }, printer) => `[WHERE ${printer.expression(condition)}]`,
  destructure: ({ fields }, printer) => `.${destructured(fields, printer)}`,
  method: ({ name, args }, printer) => `.${plainName(name)}(${list(args, printer.expression)})`,
  invoke: ({ args }, printer) => `(${list(args, printer.expression)})`,
  optional: () => '.?',
  flatten: () => '…',
  repeat: () => '.@',
  graph: graphText,
  recursion: recursionText,
};

export function idiomText({ start, parts }: Idiom, printer: Printer): string {
  let text = start === undefined ? '' : startText(start, parts[0], printer);
  parts.forEach((part, index) => {
    const isFirst = index === 0 && start === undefined;
    text += isFirst && part.kind === 'field' ? escapeIdentifier(part.name) : partText(part, printer);
  });
  return text;
}

function partText(part: Part, printer: Printer): string {
  return (PARTS[part.kind] as (part: Part, printer: Printer) => string)(part, printer);
}

/** The value that a path begins at, in parentheses where the path would be read as part of something else. */
function startText(start: Expression, first: Part | undefined, printer: Printer): string {
  const text = printer.operand(start, POWER.postfix);
  if (text.startsWith('(') && start.kind !== 'literal' && start.kind !== 'idiom') return text;
  const needsParentheses =
    first?.kind === 'invoke' ||
    start.kind === 'record-id' ||
    (start.kind === 'literal' && text.startsWith('-')) ||
    start.kind === 'idiom' ||
    start.kind === 'table';
  return needsParentheses ? `(${text})` : text;
}

function destructured(fields: readonly DestructureField[], printer: Printer): string {
  return `{ ${list(fields, (field) => destructureField(field, printer))} }`;
}

function destructureField(field: DestructureField, printer: Printer): string {
  const name = plainName(field.name);
  switch (field.kind) {
    case 'include':
      return name;
    case 'all':
      return `${name}.*`;
    case 'alias':
      return `${name}: ${printer.operand(field.value, POWER.postfix)}`;
    case 'nested':
      return `${name}.${destructured(field.fields, printer)}`;
  }
}

const ARROWS: Readonly<Record<GraphStep['direction'], string>> = { out: '->', in: '<-', both: '<->', reference: '<~' };

function graphText(step: GraphStep, printer: Printer): string {
  const { direction, subjects, projections, where, split, group, order, limit, start, alias } = step;
  const detail = clauses(
    clause('WHERE', where, printer.expression),
    splitText(split, printer),
    groupText(group, printer),
    orderText(order, printer),
    limitText(limit, start, printer),
    clause('AS', alias, printer.idiom),
  );
  const arrow = ARROWS[direction];
  const [subject, ...others] = subjects;
  const isWord =
    subject !== undefined && others.length === 0 && subject.range === undefined && subject.field === undefined;
  // After an arrow no word is a keyword.
  if (isWord && projections === undefined && detail === '') return arrow + plainName(subject.table);
  const from = subjects.length === 0 ? '?' : list(subjects, (each) => subjectText(each, printer));
  if (projections !== undefined)
    return `${arrow}(SELECT ${projectionsText(projections, printer)} FROM ${from}${detail})`;
  const isBare = detail === '' && subjects.length < 2 && subjects[0]?.field === undefined;
  return isBare ? arrow + from : `${arrow}(${from}${detail})`;
}

function subjectText({ table, range, field }: GraphSubject, printer: Printer): string {
  const name = range === undefined ? escapeIdentifier(table) : `${plainName(table)}:${recordKeyText(range, printer)}`;
  return name + clauses(clause('FIELD', field, plainName));
}

function recursionText(recursion: Recursion, printer: Printer): string {
  const { min, max, instruction, inclusive, path, enclosed } = recursion;
  const bounds = min !== undefined && min === max ? String(min) : `${min ?? ''}..${max ?? ''}`;
  let how = '';
  if (instruction?.kind === 'shortest') how = `+shortest=${printer.operand(instruction.target, POWER.postfix)}`;
  else if (instruction !== undefined) how = `+${instruction.kind}`;
  if (inclusive) how += '+inclusive';
  const repeated = path.map((part) => partText(part, printer)).join('');
  return `.{${bounds}${how}}${enclosed ? `(${repeated})` : repeated}`;
}
