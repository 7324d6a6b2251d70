import { defineConfig } from '@hey-api/openapi-ts'

/** Types only: the package sends its few calls itself. */
export default defineConfig({
  input: '../../contracts/openapi/auth.json',
  output: { path: 'src/generated', entryFile: false },
  plugins: ['@hey-api/typescript'],
})
