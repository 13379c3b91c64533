/** The metrics of the server that has answered, as small charts. */
import { Text } from '@mantine/core';
import { Loading } from '../../components/loading.js';
import { Notice } from '../../components/notice.js';
import { Chart } from './chart.js';
import { FIGURES, startOf } from './figures.js';
import { KEPT_READINGS, useMetrics } from './use-metrics.js';

export function Charts({ token }: { readonly token: string }) {
  const { readings, error } = useMetrics(token);
  const newest = readings.at(-1);
  const version = newest?.samples.find(({ name }) => name === 'tessera_build_info')?.labels['version'];
  // Of the first reading, so that it stays the same.
  const [first] = readings;
  const started = first && startOf(first, performance.timeOrigin);
  const figures = FIGURES.map((figure) => ({
    ...figure,
    values: readings.map((reading, at) => figure.of(reading, readings[at - 1] ?? reading)),
    // Some need two readings; a store in memory has no size.
  })).filter(({ values }) => values.length < 2 || values.some((value) => value !== undefined));
  return (
    <>
      {error !== undefined && <Notice kind="error">{error.message}</Notice>}
      {newest === undefined ? (
        error === undefined && <Loading />
      ) : (
        <>
          <Text c="dimmed" size="sm" mb="md">
            Tessera {version}
            {started !== undefined && `, running since ${new Date(started).toLocaleString()}`}. These are figures of the
            process that has answered; each counts by itself.
          </Text>
          <div className="charts">
            {figures.map(({ title, values, format }) => (
              <Chart key={title} title={title} format={format} capacity={KEPT_READINGS} values={values} />
            ))}
          </div>
        </>
      )}
    </>
  );
}
