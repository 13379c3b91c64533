/** How the outcomes of tests are written: as text for people, in TAP 14, and as JUnit's XML for CI systems. */
import type { TestOutcome } from './run-file.js';

/** The outcomes of all files, and how long they took in milliseconds. */
export type TestReporter = (outcomes: readonly TestOutcome[], milliseconds: number) => string;

export const REPORTERS = { text: textReport, tap: tapReport, junit: junitReport } as const satisfies Readonly<
  Record<string, TestReporter>
>;

/** What has failed with its place and statement, and the counts. */
function textReport(outcomes: readonly TestOutcome[], milliseconds: number): string {
  const failed = outcomes.filter(({ fault }) => fault !== undefined);
  const summary = `${outcomes.length - failed.length} passed, ${failed.length} failed in ${Math.round(milliseconds)} ms`;
  return [...failed.map((outcome) => `${faultLines(outcome).join('\n')}\n`), summary, ''].join('\n');
}

/** Lines of the file that are shown of each. */
const MOST_LINES = 6;

/**
 *     notes.surql:7: A note is its owner's alone
 *       | SELECT * FROM note;
 *       | --> []
 *       as        user:bob via account
 *       expected  []
 *       found     [{ id: note:1, owner: user:ann }]
 */
function faultLines({ file, test, fault }: TestOutcome): string[] {
  if (fault === undefined) return [];
  const { from, line, who, expected, found } = fault;
  const source = file.lines.slice(Math.max(from, line - MOST_LINES + 1) - 1, line);
  return [
    `${file.path}:${line}: ${test.name}`,
    ...source.map((text) => `  | ${text}`),
    `  as        ${who}`,
    `  expected  ${expected}`,
    `  found     ${found}`,
  ];
}

function tapReport(outcomes: readonly TestOutcome[]): string {
  const lines = outcomes.flatMap((outcome, at) => {
    const { file, test, fault } = outcome;
    const name = `${at + 1} - ${file.path}: ${test.name.replaceAll('#', '\\#')}`;
    return fault === undefined ? [`ok ${name}`] : [`not ok ${name}`, ...faultLines(outcome).map((line) => `# ${line}`)];
  });
  return ['TAP version 14', `1..${outcomes.length}`, ...lines, ''].join('\n');
}

/** A suite for each file. */
function junitReport(outcomes: readonly TestOutcome[], milliseconds: number): string {
  const paths = new Set(outcomes.map(({ file }) => file.path));
  const failures = outcomes.filter(({ fault }) => fault !== undefined).length;
  const suites = [...paths].flatMap((path) => {
    const tests = outcomes.filter(({ file }) => file.path === path);
    return [
      `  <testsuite name="${escaped(path)}" tests="${tests.length}">`,
      ...tests.map((outcome) => testCase(path, outcome)),
      '  </testsuite>',
    ];
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${outcomes.length}" failures="${failures}" time="${milliseconds / 1000}">`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(path: string, outcome: TestOutcome): string {
  const { test, fault } = outcome;
  const begin = `    <testcase classname="${escaped(path)}" name="${escaped(test.name)}"`;
  if (fault === undefined) return `${begin}/>`;
  const text = faultLines(outcome).join('\n');
  return `${begin}>\n      <failure message="${escaped(`expected ${fault.expected}`)}">${escaped(text)}</failure>\n    </testcase>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML can't have are replaced. */
function escaped(text: string): string {
  return text
    .replace(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"]/g, (found) => ENTITIES[found] ?? found);
}
