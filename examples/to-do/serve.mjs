import { context } from 'esbuild'

const { SUREHOOK_URL = 'http://localhost:8080', SUREHOOK_PROJECT = 'todo' } = process.env
const { PORT = '3000' } = process.env

const app = await context({
  entryPoints: ['src/app.ts'],
  bundle: true,
  format: 'esm',
  outdir: 'public',
  define: {
    SUREHOOK_URL: JSON.stringify(SUREHOOK_URL),
    SUREHOOK_PROJECT: JSON.stringify(SUREHOOK_PROJECT),
  },
})
await app.serve({ servedir: 'public', host: '127.0.0.1', port: Number(PORT) })
console.log(`Open http://localhost:${PORT}`)
