/** What became of each statement: a value, a plan, an error, or a live query. */
import { Text } from '@mantine/core';
import { Notice } from '../../components/notice.js';
import type { Connection } from '../../connection/connection.js';
import type { StatementResult } from '../../connection/statement-source.js';
import { KeptResult, LiveResult } from './live-result.js';
import { isPlan } from './plan.js';
import { PlanTree } from './plan-tree.js';
import { ValueResult } from './value-result.js';

interface Properties {
  /** That which ran them. */
  readonly connection: Connection;
  readonly results: readonly StatementResult[];
  /** The one statement is a `textToKeep`. */
  readonly isKept: boolean;
}

export function Results({ connection, results, isKept }: Properties) {
  return (
    <div className="results">
      {results.map((result, at) => (
        <section key={at} aria-label={`Result ${at + 1}`}>
          <h3>
            Result {at + 1}{' '}
            <Text span c="dimmed" size="sm">
              {result.time}
            </Text>
          </h3>
          {!result.ok ? (
            <Notice kind="error">{result.error.message}</Notice>
          ) : isKept ? (
            <KeptResult connection={connection} answer={result.value} />
          ) : result.type === 'live' ? (
            <LiveResult connection={connection} id={result.value} />
          ) : isPlan(result.value) ? (
            <PlanTree plan={result.value} />
          ) : (
            <ValueResult value={result.value} />
          )}
        </section>
      ))}
    </div>
  );
}
