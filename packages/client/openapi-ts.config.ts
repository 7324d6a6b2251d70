import { defineConfig } from '@hey-api/openapi-ts'

/** Types only: `src/transport` is smaller than a generated client, and it retries. */
export default defineConfig(
  ['admin', 'data', 'webhooks'].map((name) => ({
    input: `../../contracts/openapi/${name}.json`,
    output: { path: `src/generated/${name}`, entryFile: false },
    plugins: ['@hey-api/typescript'],
  })),
)
