/** PERMISSION_RUNS is how many schemas the oracle tries for each property, PERMISSION_SEED where it begins. */
export const GIVEN_RUNS = process.env['PERMISSION_RUNS'];

/** The suites try the same schemas each time, among them one that has found a leak; a long run draws others. */
const USUAL_SEED = GIVEN_RUNS === undefined ? 2_138_017_388 : Date.now() % 2 ** 31;
export const SEED = Number(process.env['PERMISSION_SEED'] ?? USUAL_SEED);
