// `gather.mjs <service> <pruned> <out>`: of each workspace that the service needs, what is read when it runs.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { directoryOf } from './workspace.mjs'

/** Built code and pages, Avro schemas, documents that are served, migrations, settings of the local stack. */
const needed = ['dist', 'events', 'openapi', 'migrations', 'local-stack']
const [service, pruned, out] = process.argv.slice(2)
if (service === undefined || pruned === undefined || out === undefined) {
  throw new Error('usage: gather.mjs <service> <pruned> <out>')
}
const { workspaces } = JSON.parse(readFileSync(`${pruned}/package.json`, 'utf8'))
for (const workspace of workspaces) {
  for (const name of needed) copy(`${workspace}/${name}`)
}
// The operator's command prepares the database for every service, and asks each what it thinks of its variables.
if (service === 'operator-cli') {
  for (const name of readdirSync('services')) {
    copy(`services/${name}/migrations`)
    copy(`services/${name}/dist/config.js`)
  }
}
symlinkSync(directoryOf(service), `${out}/service`)

/** @param {string} path */
function copy(path) {
  if (!existsSync(path)) return
  mkdirSync(out, { recursive: true })
  cpSync(path, `${out}/${path}`, { recursive: true, filter: (from) => !isForBuilds(from) })
}

/** @param {string} path */
function isForBuilds(path) {
  return /\.(d\.ts|d\.ts\.map|tsbuildinfo)$/.test(path)
}
