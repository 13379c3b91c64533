// Results as people read them: lines while it runs, headlines in docs/operating/performance.md, all in records/tables.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { wrapped } from '../../scripts/wrapped.mjs';
import { TARGETS } from '../targets/index.mjs';
import { FAMILIES, WORKLOADS } from '../workloads/index.mjs';
import { FIGURES, written, writtenRatio } from './figures.mjs';
import { HEADLINES } from './headlines.mjs';
import { named } from './results.mjs';

/** The pages that show results. */
export const PAGES = {
  headlines: new URL('../../docs/operating/performance.md', import.meta.url),
  tables: new URL('../records/tables.md', import.meta.url),
};

/** Half of the width in which half of the rounds lie, in percent of their middle. */
const share = ({ median, low, high }) => `± ${Math.round(((high - low) / 2 / median) * 100)} %`;
const titleOf = (name) => TARGETS.find((target) => target.name === name)?.title ?? name;

/** @param {import('./results.mjs').Measured} measured */
export function printMeasured({ workload, rows, rounds, figure, targets, aims }) {
  console.log(`\n${workload} (${rows.toLocaleString('en')} rows, ${rounds} rounds)`);
  for (const [target, figures] of Object.entries(targets)) {
    const cells = Object.entries(figures).map(
      ([each, spread]) => `${each === figure ? '' : `${each} `}${written(each, spread.median)} ${share(spread)}`,
    );
    console.log(`  ${target.padEnd(22)}${cells.map((cell) => cell.padEnd(26)).join('')}`);
  }
  for (const aim of aims) console.log(`  ${verdict(aim)}`);
}

const verdict = ({ what, target, beside, aim, figure, spread, met }) =>
  `${met ? 'met   ' : 'MISSED'} ${what}, ${target}${beside ? ` beside ${beside}` : ''}: ${spreadText(beside, figure, spread)}, asked for ${aim}`;

function spreadText(beside, figure, { median, low, high }) {
  const write = beside === undefined ? (number) => written(figure, number) : writtenRatio;
  return `${write(median)} (${write(low)} to ${write(high)})`;
}

/** @param {readonly import('./results.mjs').Measured[]} results */
export function printAims(results) {
  const all = results.flatMap(({ aims }) => aims);
  const missed = all.filter(({ met }) => !met);
  console.log(`\n${all.length - missed.length} of ${all.length} aims met`);
  for (const aim of missed) console.log(`  ${aim.workload}: ${verdict(aim)}`);
}

/** Puts the tables between their marks on both pages. @param {import('./results.mjs').Results} results */
export function writeTables(results) {
  putBetween(PAGES.headlines, 'headlines', headlines(results));
  putBetween(PAGES.tables, 'bench', tables(results));
}

function putBetween(file, mark, content) {
  writeFileSync(file, replaced(readFileSync(file, 'utf8'), mark, content));
}

function replaced(text, mark, content) {
  const [begin, end] = [`<!-- ${mark}: begin -->`, `<!-- ${mark}: end -->`];
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`the page has no ${begin} and ${end}`);
  return `${before}${begin}\n${content}\n${end}${after}`;
}

/** Ratios and figures that say most, one row each. @param {import('./results.mjs').Results} results */
export function headlines(results) {
  const rows = HEADLINES.flatMap(([label, workload, target, beside]) => {
    const aim = results[workload]?.aims.find((one) => one.target === target && one.beside === beside);
    if (aim === undefined) return [];
    const targets = beside === undefined ? titleOf(target) : `${titleOf(target)} : ${titleOf(beside)}`;
    return [[label, targets, spreadText(beside, aim.figure, aim.spread), aim.aim, aim.met ? 'yes' : '**no**']];
  });
  return markdown(['Workload', 'Target', 'Measured', 'Aim', 'Met'], rows);
}

/** @param {import('./results.mjs').Results} results */
export function tables(results) {
  // In the order of the families; what is no longer measured is left out.
  const known = WORKLOADS.flatMap((workload) => measuredOf(workload, Object.values(results)));
  return [machines(known), aimsTable(known), ...FAMILIES.map((family) => familyTable(family, known))]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** What was measured of a workload, few rows before many. */
const measuredOf = ({ name }, results) =>
  results.filter(({ workload }) => workload === name).sort((a, b) => a.rows - b.rows);

function machines(results) {
  /** @type {Map<string, Set<string>>} */
  const revisions = new Map();
  for (const { machine } of results) {
    const on = `Node ${machine.node}, ${machine.platform}, ${machine.cores} cores`;
    revisions.set(on, (revisions.get(on) ?? new Set()).add(`\`${machine.revision}\``));
  }
  return wrapped(`Measured at ${[...revisions].map(([on, at]) => `${[...at].join(', ')} on ${on}`).join('; ')}.`);
}

function aimsTable(results) {
  const rows = results.flatMap((measured) =>
    measured.aims.map(({ what, target, beside, aim, figure, spread, met }) => [
      what,
      named(measured),
      beside === undefined ? titleOf(target) : `${titleOf(target)} : ${titleOf(beside)}`,
      FIGURES[figure].title,
      aim,
      spreadText(beside, figure, spread),
      met ? 'yes' : '**no**',
    ]),
  );
  return rows.length === 0
    ? ''
    : markdown(['Aim', 'Workload', 'Target', 'Figure', 'Asked for', 'Measured', 'Met'], rows);
}

function familyTable({ title, workloads }, results) {
  const done = workloads.flatMap((workload) => measuredOf(workload, results));
  const columns = TARGETS.filter(({ name }) => done.some(({ targets }) => targets[name]));
  if (done.length === 0) return '';
  const rows = done.map((measured) => [
    named(measured),
    ...columns.map(({ name }) => {
      const figures = measured.targets[name];
      return figures?.[measured.figure] === undefined ? '' : cell(measured.figure, figures);
    }),
  ]);
  return `## ${title}\n\n${markdown(['Workload', ...columns.map((target) => target.title)], rows)}`;
}

/** Time has that of the processor beside it, which doesn't depend on what else the machine does. */
const cell = (figure, figures) =>
  figure === 'time'
    ? `${written('time', figures.time.median)} / ${written('processor', figures.processor.median)}`
    : `${written(figure, figures[figure].median)} ${share(figures[figure])}`;

const markdown = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
