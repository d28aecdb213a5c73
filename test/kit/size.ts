/**
 * How far a long program goes: a smoke in the test run, all of it under `npm run test:long`, or as far as a variable of
 * the environment says, to widen it or to see a failure again.
 */
export const size = (variable: string, { smoke, whole }: { smoke: number; whole: number }): number =>
  Number(process.env[variable] ?? (process.env['TEST_LONG'] === undefined ? smoke : whole))
