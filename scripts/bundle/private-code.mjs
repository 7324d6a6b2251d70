// Plugins of esbuild for published packages. Their bundles hold what they take from private packages,
// because those are not installed with them.
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const events = fileURLToPath(new URL('../../contracts/events/', import.meta.url))

/**
 * Returns whether a module comes with the installed package: it is built in, or of one of `names`.
 *
 * @param {readonly string[]} names packages that are installed beside it
 * @returns {(id: string) => boolean}
 */
export const installedWith = (names) => (id) =>
  id.startsWith('node:') || names.some((name) => id === name || id.startsWith(`${name}/`))

/**
 * Leaves out of the bundle what is installed, takes private packages into it, and fails for others.
 *
 * @param {(id: string) => boolean} isInstalled
 */
export const onlyKnown = (isInstalled) => ({
  name: 'only-known',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === 'entry-point') return undefined
      if (isInstalled(path)) return { path, external: true, sideEffects: false }
      if (path.startsWith('@surehook/')) return undefined
      return { errors: [{ text: `${path} is not among the dependencies` }] }
    })
  },
})

/**
 * Replaces the text of a module.
 *
 * @param {RegExp} file
 * @param {() => string | Promise<string>} text
 */
export const replaced = (file, text) => ({
  name: `replaced ${file}`,
  setup({ onLoad }) {
    onLoad({ filter: file }, async () => ({ contents: await text() }))
  },
})

/** The module reads files of the contracts. The bundle holds their texts instead. */
export const schemaTexts = replaced(/schemas\/dist\/schema-text\.js$/, async () => {
  const files = (await readdir(events)).filter((file) => file.endsWith('.avsc'))
  const entries = files.map(async (file) => {
    const json = JSON.parse(await readFile(`${events}${file}`, 'utf8'))
    return [file.replace('.avsc', ''), JSON.stringify(json)]
  })
  const texts = JSON.stringify(Object.fromEntries(await Promise.all(entries)))
  return `const texts = ${texts}\nexport const schemaText = (file) => texts[file]`
})

/**
 * Modules of private packages read their version from a manifest that is not published. The bundle
 * holds it instead.
 *
 * @param {string} version
 */
export const versionOf = (version) => ({
  name: 'version',
  setup({ onLoad }) {
    onLoad({ filter: /libs\/[^/]+\/dist\/.*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const read = /createRequire\(import\.meta\.url\)\('[./]*\/package\.json'\)/g
      return { contents: text.replace(read, JSON.stringify({ version })) }
    })
  },
})

/** Functions that Node 20 or 22 lacks, and that `node-20.mjs` does not replace. */
const tooNew =
  /\b(?:Array\.fromAsync|Object\.groupBy|Promise\.try|RegExp\.escape|Iterator\.from|Error\.isError|new DisposableStack)\b|\.(?:values|keys|entries)\(\)\s*\.(?:map|filter|some|every|find|reduce|flatMap|take|drop|toArray|forEach)\(/

/**
 * Throws if a bundle calls a function that the oldest Node lacks: such a call fails only when it
 * runs.
 *
 * @param {readonly { path: string, text: string }[]} files
 */
export function requireOldestNode(files) {
  for (const { path, text } of files) {
    const [found] = tooNew.exec(text) ?? []
    if (found !== undefined) throw new Error(`${path}: Node 20 has no ${found}`)
  }
}
