// Bundles the command as it is published: no package of this repository is installed with it.
import { cp, glob, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import {
  installedWith,
  onlyKnown,
  replaced,
  requireOldestNode,
  schemaTexts,
  versionOf,
} from '../../scripts/bundle/private-code.mjs'

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))
const out = pathOf('dist/published')
const commandsFile = pathOf('dist/commands/commands.js')
const { dependencies, version } = JSON.parse(await readFile(pathOf('package.json'), 'utf8'))
/** The bundle holds every package of this repository, so that the command installs alone. */
const installed = Object.keys(dependencies).filter((name) => !name.startsWith('@surehook/'))

/** The command finds the migrations beside itself. */
const rootOfPackage = `import { fileURLToPath } from 'node:url'
export const surehookRoot = fileURLToPath(new URL('.', import.meta.url)).replace(/[/\\\\]$/, '')`

await rm(out, { recursive: true, force: true })
await build({
  entryPoints: { surehook: pathOf('bin/installed.mjs') },
  outdir: out,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  inject: [pathOf('../../scripts/bundle/node-20.mjs')],
  plugins: [
    schemaTexts,
    replaced(/packages\/cli\/dist\/commands\/commands\.js$/, lazyCommands),
    replaced(/packages\/cli\/dist\/lib\/root\.js$/, () => rootOfPackage),
    versionOf(version),
    onlyKnown(installedWith(installed)),
  ],
  logLevel: 'warning',
})
requireOldestNode(await outputs())
for await (const dir of glob('services/*/migrations', { cwd: pathOf('../..') })) {
  await cp(pathOf(`../../${dir}`), `${out}/${dir}`, { recursive: true })
}

async function outputs() {
  const names = (await readdir(out)).filter((name) => name.endsWith('.js'))
  return Promise.all(
    names.map(async (path) => ({ path, text: await readFile(`${out}/${path}`, 'utf8') })),
  )
}

/**
 * The list of commands, without their code: all of a command but `run` is data. A call loads the
 * module of its command only.
 */
async function lazyCommands() {
  const { commands } = await import(commandsFile)
  const found = new Map()
  for await (const file of glob('{commands,cli}/**/*.js', { cwd: pathOf('dist') })) {
    const exported = await import(pathOf(`dist/${file}`))
    for (const [name, value] of Object.entries(exported)) {
      if (value === commands) continue
      for (const command of [value].flat()) found.set(command, { file, name })
    }
  }
  const entries = commands.map((command) => {
    const at = found.get(command)
    if (at === undefined) throw new Error(`no module exports the command ${command.name}`)
    const { run: _, ...data } = command
    const path = JSON.stringify(`./${relative(dirname(commandsFile), pathOf(`dist/${at.file}`))}`)
    const load = `async (call) => {
      const exported = [(await import(${path}))[${JSON.stringify(at.name)}]].flat()
      return exported.find(({ name }) => name === ${JSON.stringify(command.name)}).run(call)
    }`
    return `{ ...${JSON.stringify(data)}, run: ${load} }`
  })
  return `export const commands = [${entries.join(',\n')}]`
}
