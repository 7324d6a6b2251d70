/** A fifth of the cases, because each asks services; `npm run test:all` sets TEST_DEPTH=all. */
export const propertyRuns = (all: number): number =>
  process.env['TEST_DEPTH'] === 'all' ? all : Math.ceil(all / 5)
