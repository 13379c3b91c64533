/** Whether everything is run, as by `npm run test:all`, rather than as much as takes some minutes. */
export const RUNS_ALL = process.env['TESTS'] === 'all';
