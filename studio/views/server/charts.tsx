/** The metrics of the server that has answered, as small charts. */
import { Loading, Notice } from '../../components/notice.js';
import { Chart } from './chart.js';
import { FIGURES } from './figures.js';
import { total } from './metrics-text.js';
import { KEPT_READINGS, useMetrics } from './use-metrics.js';

export function Charts({ token }: { readonly token: string }) {
  const { readings, error } = useMetrics(token);
  const newest = readings.at(-1);
  const version = newest?.samples.find(({ name }) => name === 'tessera_build_info')?.labels['version'];
  const started = newest && total(newest.samples, 'process_start_time_seconds');
  return (
    <>
      {error !== undefined && <Notice kind="error">{error.message}</Notice>}
      {newest === undefined ? (
        error === undefined && <Loading />
      ) : (
        <>
          <p class="muted">
            Tessera {version}
            {started !== undefined && `, running since ${new Date(started * 1000).toLocaleString()}`}. These are figures
            of the process that has answered; each counts by itself.
          </p>
          <div class="charts">
            {FIGURES.map(({ title, of, format }) => (
              <Chart
                key={title}
                title={title}
                format={format}
                capacity={KEPT_READINGS - 1}
                values={readings.slice(1).map((reading, at) => of(reading, readings[at] ?? reading))}
              />
            ))}
          </div>
        </>
      )}
    </>
  );
}
