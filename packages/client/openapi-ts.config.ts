/**
 * Types only. The generated clients would be one for each document, 6 kB together, and their
 * retries, deadlines and idempotency keys would be written by hand all the same.
 */
export default ['admin', 'data', 'sources', 'webhooks'].map((name) => ({
  input: `../../contracts/openapi/${name}.json`,
  output: { path: `src/generated/${name}`, entryFile: false },
  plugins: ['@hey-api/typescript'],
}))
