import { context } from 'esbuild'

const { SUREHOOK_URL = 'http://localhost:8080', SUREHOOK_PROJECT, PORT = '3000' } = process.env
if (!SUREHOOK_PROJECT) throw new Error('Set SUREHOOK_PROJECT, in .env or in the shell')

const app = await context({
  entryPoints: ['src/app.ts'],
  bundle: true,
  format: 'esm',
  target: 'es2022',
  outdir: 'public',
  define: {
    SUREHOOK_URL: JSON.stringify(SUREHOOK_URL),
    SUREHOOK_PROJECT: JSON.stringify(SUREHOOK_PROJECT),
  },
})
try {
  await app.serve({ servedir: 'public', host: '127.0.0.1', port: Number(PORT) })
} catch (err) {
  console.error(`The page cannot use port ${PORT}; choose another with PORT: ${err.message}`)
  process.exit(1)
}
console.log(`Open http://localhost:${PORT} (project ${SUREHOOK_PROJECT} at ${SUREHOOK_URL})`)
