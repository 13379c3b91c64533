/** One query: its statements, their parameters and their results. Each run has a connection of its own, which is closed to cancel it. */
import type { Completion } from '@codemirror/autocomplete';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Loading } from '../../components/loading.js';
import { Notice } from '../../components/notice.js';
import { asError } from '../../connection/as-error.js';
import type { Connection } from '../../connection/connection.js';
import type { StatementResult } from '../../connection/statement-source.js';
import { Editor } from './editor.js';
import { withoutFirstLine } from './error-position.js';
import { textToKeep } from './live-result.js';
import { definitionsOf, type Parameter, ParameterFields } from './parameters.js';
import { Results } from './results.js';
import { StoredList } from './stored-list.js';
import { addToHistory } from './stored-queries.js';

type Run =
  | { readonly kind: 'none' }
  | { readonly kind: 'running' }
  | {
      readonly kind: 'done';
      readonly connection: Connection;
      readonly results: readonly StatementResult[];
      readonly isKept: boolean;
    }
  | { readonly kind: 'failed'; readonly message: string };

/** What is run of the text. */
const FORMS = {
  run: (text: string) => text,
  keep: textToKeep,
  plan: (text: string) => `EXPLAIN FORMAT JSON ${text}`,
  measured: (text: string) => `EXPLAIN ANALYZE FORMAT JSON ${text}`,
};
type Form = keyof typeof FORMS;

interface Properties {
  readonly connection: Connection;
  /** What the editor completes. */
  readonly names: readonly Completion[];
  /** What the editor begins with. */
  readonly initial: string;
  onText(text: string): void;
}

export function QueryPage({ connection, names, initial, onText }: Properties) {
  const [text, setText] = useState(initial);
  const [replacement, setReplacement] = useState<{ readonly text: string }>();
  const [selected, setSelected] = useState('');
  const [parameters, setParameters] = useState<readonly Parameter[]>([]);
  const [run, setRun] = useState<Run>({ kind: 'none' });
  // What was wrong is being mended.
  const [isEdited, setEdited] = useState(false);
  const used = useRef<Connection | undefined>(undefined);
  const turn = useRef(0);
  const end = () => {
    turn.current++;
    used.current?.close();
    used.current = undefined;
  };
  useEffect(() => end, []);

  const start = async (form: Form = 'run') => {
    end();
    const mine = turn.current;
    const statements = selected.trim() === '' ? text : selected;
    setRun({ kind: 'running' });
    setEdited(false);
    try {
      const own = await connection.fork();
      if (mine !== turn.current) return own.close();
      used.current = own;
      const results = await runWith(own, await definitionsOf(own, parameters), FORMS[form](statements));
      if (mine === turn.current) setRun({ kind: 'done', connection: own, results, isKept: form === 'keep' });
    } catch (error) {
      if (mine === turn.current) setRun({ kind: 'failed', message: asError(error).message });
    }
    if (mine === turn.current && (form === 'run' || form === 'keep')) addToHistory(statements);
  };
  const format = async () => {
    try {
      // The whole language is loaded for this alone.
      const { formatText } = await import('../../../src/language/format.js');
      setReplacement({ text: formatText(text) });
      setRun({ kind: 'none' });
    } catch (error) {
      setRun({ kind: 'failed', message: asError(error).message });
      setEdited(false);
    }
  };
  const cancel = () => {
    end();
    setRun({ kind: 'failed', message: 'The run was cancelled.' });
  };

  const isRunning = run.kind === 'running';
  const isEmpty = text.trim() === '';
  return (
    <>
      <div className="query-parts">
        <Stack>
          <Editor
            initial={initial}
            replacement={replacement}
            names={names}
            error={selected === '' && !isEdited ? errorOf(run) : undefined}
            onChange={(changed, part) => {
              if (changed !== text) setEdited(true);
              setText(changed);
              onText(changed);
              setSelected(part);
            }}
            onRun={() => void start()}
          />
          <Group>
            <Button variant="filled" disabled={isRunning || isEmpty} onClick={() => void start()}>
              {selected.trim() === '' ? 'Run' : 'Run the selection'}
            </Button>
            <Button disabled={isRunning || isEmpty} onClick={() => void start('keep')}>
              Keep live
            </Button>
            <Button disabled={isRunning || isEmpty} onClick={() => void start('plan')}>
              Explain
            </Button>
            <Button disabled={isRunning || isEmpty} onClick={() => void start('measured')}>
              Explain and measure
            </Button>
            <Button disabled={isRunning || isEmpty} onClick={() => void format()}>
              Format
            </Button>
            {isRunning && <Button onClick={cancel}>Cancel</Button>}
            <Text span c="dimmed" size="sm">
              Ctrl-Enter runs. Measuring runs the statement, too.
            </Text>
          </Group>
          <ParameterFields parameters={parameters} onChange={setParameters} />
        </Stack>
        <StoredList text={text} onChoose={(chosen) => setReplacement({ text: chosen })} />
      </div>
      {isRunning && <Loading what="Running" />}
      {run.kind === 'failed' && !isEdited && <Notice kind="error">{run.message}</Notice>}
      {run.kind === 'done' && (
        <Results key={turn.current} connection={run.connection} results={run.results} isKept={run.isKept} />
      )}
    </>
  );
}

/** Runs statements with definitions in a line before them. @throws Error if they can't be read */
async function runWith(
  connection: Connection,
  definitions: readonly string[],
  statements: string,
): Promise<readonly StatementResult[]> {
  if (definitions.length === 0) return connection.run(statements);
  const placed = (error: Error) => Object.assign(new Error(withoutFirstLine(error.message)), { name: error.name });
  try {
    const results = await connection.run(`${definitions.join('')}\n${statements}`);
    return results
      .slice(definitions.length)
      .map((result) => (result.ok ? result : { ...result, error: placed(result.error) }));
  } catch (error) {
    throw placed(asError(error));
  }
}

/** The error whose place the editor shows: that of the whole, or the first of a statement that names one. */
function errorOf(run: Run): string | undefined {
  if (run.kind === 'failed') return run.message;
  if (run.kind !== 'done') return undefined;
  for (const result of run.results) if (!result.ok && result.error.message.includes('-->')) return result.error.message;
  return undefined;
}
