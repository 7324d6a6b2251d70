// Bundles what the package takes from private packages: they are not installed with it.
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))
const { dependencies } = JSON.parse(await readFile(pathOf('package.json'), 'utf8'))
const isInstalled = (id) =>
  id.startsWith('node:') ||
  Object.keys(dependencies).some((name) => id === name || id.startsWith(`${name}/`))

/** The module reads files of the contracts. The bundle holds their texts instead. */
const schemas = {
  name: 'schemas',
  setup({ onLoad }) {
    onLoad({ filter: /schemas\/dist\/schema-text\.js$/ }, async () => {
      const folder = pathOf('../../contracts/events/')
      const files = (await readdir(folder)).filter((file) => file.endsWith('.avsc'))
      const entries = files.map(async (file) => {
        const json = JSON.parse(await readFile(`${folder}${file}`, 'utf8'))
        return [file.replace('.avsc', ''), JSON.stringify(json)]
      })
      const texts = JSON.stringify(Object.fromEntries(await Promise.all(entries)))
      return { contents: `const texts = ${texts}\nexport const schemaText = (file) => texts[file]` }
    })
  },
}

/** Fails for a module of a package that is neither installed nor private. */
const onlyKnown = {
  name: 'only-known',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === 'entry-point' || path.startsWith('@surehook/')) return undefined
      if (isInstalled(path)) return { path, external: true, sideEffects: false }
      return { errors: [{ text: `${path} is not among the dependencies` }] }
    })
  },
}

await build({
  entryPoints: [pathOf('dist/unbundled/index.js')],
  outfile: pathOf('dist/index.js'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  plugins: [schemas, onlyKnown],
  logLevel: 'warning',
})

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
