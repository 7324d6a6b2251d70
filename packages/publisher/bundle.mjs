// Bundles what the package takes from private packages: they are not installed with it.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import {
  installedWith,
  onlyKnown,
  requireOldestNode,
  schemaTexts,
} from '../../scripts/bundle/private-code.mjs'

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))
const { dependencies } = JSON.parse(await readFile(pathOf('package.json'), 'utf8'))
const isInstalled = installedWith(Object.keys(dependencies))

await build({
  entryPoints: [pathOf('dist/unbundled/index.js')],
  outfile: pathOf('dist/index.js'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  plugins: [schemaTexts, onlyKnown(isInstalled)],
  logLevel: 'warning',
})

const bundled = pathOf('dist/index.js')
requireOldestNode([{ path: bundled, text: await readFile(bundled, 'utf8') }])

/** The plugin for types leaves out other packages unless it gets their files. */
const privateTypes = {
  name: 'private-types',
  resolveId: (id) =>
    id.startsWith('@surehook/')
      ? fileURLToPath(import.meta.resolve(id)).replace(/\.js$/, '.d.ts')
      : null,
}

const types = await rollup({
  input: pathOf('dist/unbundled/index.d.ts'),
  external: isInstalled,
  plugins: [privateTypes, dts()],
  onwarn(warning) {
    throw new Error(warning.message)
  },
})
await types.write({ file: pathOf('dist/index.d.ts'), format: 'es' })
