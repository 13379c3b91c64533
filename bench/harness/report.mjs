// Results as people read them: lines while it runs, and tables in docs/PERFORMANCE.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { TARGETS } from '../targets/index.mjs';
import { FAMILIES, WORKLOADS } from '../workloads/index.mjs';
import { FIGURES, written, writtenRatio } from './figures.mjs';

const BEGIN = '<!-- bench: begin -->';
const END = '<!-- bench: end -->';

/** Half of the width in which half of the rounds lie, in percent of their middle. */
const share = ({ median, low, high }) => `± ${Math.round(((high - low) / 2 / median) * 100)} %`;
const titleOf = (name) => TARGETS.find((target) => target.name === name)?.title ?? name;

/** @param {string} name @param {import('./results.mjs').Measured} measured */
export function printMeasured(name, { rows, rounds, figure, targets, aims }) {
  console.log(`\n${name} (${rows.toLocaleString('en')} rows, ${rounds} rounds)`);
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

/** @param {import('./results.mjs').Results} results */
export function printAims(results) {
  const all = Object.values(results).flatMap(({ aims }) => aims);
  const missed = all.filter(({ met }) => !met);
  console.log(`\n${all.length - missed.length} of ${all.length} aims met`);
  for (const aim of missed) console.log(`  ${aim.workload}: ${verdict(aim)}`);
}

/** Puts the tables between their marks. @param {string | URL} file @param {import('./results.mjs').Results} results */
export function writeTables(file, results) {
  const text = readFileSync(file, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`${BEGIN} and ${END} don't stand in ${file}`);
  writeFileSync(file, `${before}${BEGIN}\n${tables(results)}\n${END}${after}`);
}

/** @param {import('./results.mjs').Results} results */
export function tables(results) {
  // In the order of the families; what is no longer measured is left out.
  const known = Object.fromEntries(
    WORKLOADS.filter(({ name }) => name in results).map(({ name }) => [name, results[name]]),
  );
  return [machines(known), aimsTable(known), ...FAMILIES.map((family) => familyTable(family, known))]
    .filter((part) => part !== '')
    .join('\n\n');
}

function machines(results) {
  const lines = Object.values(results).map(
    ({ machine: { revision, node, platform, cores } }) =>
      `\`${revision}\` on Node ${node}, ${platform}, ${cores} cores`,
  );
  return `Measured at ${[...new Set(lines)].join('; ')}.`;
}

function aimsTable(results) {
  const rows = Object.values(results)
    .flatMap(({ aims }) => aims)
    .map(({ what, workload, target, beside, aim, figure, spread, met }) => [
      what,
      workload,
      beside === undefined ? titleOf(target) : `${titleOf(target)} : ${titleOf(beside)}`,
      FIGURES[figure].title,
      aim,
      spreadText(beside, figure, spread),
      met ? 'yes' : '**no**',
    ]);
  return rows.length === 0
    ? ''
    : markdown(['Aim', 'Workload', 'Target', 'Figure', 'Asked for', 'Measured', 'Met'], rows);
}

function familyTable({ title, workloads }, results) {
  const done = workloads.filter(({ name }) => results[name] !== undefined);
  const columns = TARGETS.filter(({ name }) => done.some((workload) => results[workload.name].targets[name]));
  if (done.length === 0) return '';
  const rows = done.map(({ name, figure = 'time' }) => [
    name,
    ...columns.map((target) => {
      const spread = results[name].targets[target.name]?.[figure];
      return spread === undefined ? '' : cell(figure, results[name].targets[target.name]);
    }),
  ]);
  return `### ${title}\n\n${markdown(['Workload', ...columns.map((target) => target.title)], rows)}`;
}

/** Time has that of the processor beside it, which doesn't depend on what else the machine does. */
const cell = (figure, figures) =>
  figure === 'time'
    ? `${written('time', figures.time.median)} / ${written('processor', figures.processor.median)}`
    : `${written(figure, figures[figure].median)} ${share(figures[figure])}`;

const markdown = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
