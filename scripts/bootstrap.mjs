// `npm start`, `npm test` and the other commands run this file first. The machine's Node may be
// older than the project's, and nothing may be installed yet. Therefore it is plain JavaScript
// without dependencies.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const oldestNode = 20
const projectNode = 24
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const installed = join(root, 'node_modules')
/** The hash of the lock file that is installed, and the level. */
const stampFile = join(installed, '.surehook-installed')

/** What each kind of command installs: the workspaces of a level are added to those of the one before. */
const levels = ['start', 'packages', 'test', 'test-all']
const workspacesOf = {
  start: ['contracts', 'libs', 'services', 'console', 'scripts', 'packages/cli'],
  packages: ['packages'],
  test: ['@surehook/tests', '@surehook/test-tools', 'bench'],
  'test-all': ['@surehook/test-all-tools'],
}

const { level, script, args } = readCommand(process.argv.slice(2))
const ownMajor = Number(process.versions.node.split('.')[0])
if (ownMajor < oldestNode) fail(`Node ${oldestNode} or newer is needed, this is ${process.version}`)
installWhenStale()
run(nodeOfTheProject())

function readCommand(words) {
  const isNamed = words[0] === '--for'
  const [wanted, rest] = isNamed ? [words[1], words.slice(2)] : ['start', words]
  if (!levels.includes(wanted) || rest[0] === undefined) {
    fail(`usage: node scripts/bootstrap.mjs [--for ${levels.join('|')}] <script> [arguments]`)
  }
  return { level: wanted, script: rest[0], args: rest.slice(1) }
}

function installWhenStale() {
  const lock = readFileSync(join(root, 'package-lock.json'))
  const hash = createHash('sha256').update(lock).digest('hex')
  const stamp = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : ''
  const [ofHash, ofLevel] = stamp.split(' ')
  const isOfLock = ofHash === hash && levels.includes(ofLevel)
  if (isOfLock && levels.indexOf(ofLevel) >= levels.indexOf(level)) return
  if (isCurrent(lock)) {
    writeFileSync(stampFile, `${hash} test-all`)
    return
  }
  const startedAt = Date.now()
  // The second command adds what the packages of the first one lack. It keeps the lock file as it is.
  const how = isOfLock ? ['install', '--no-save'] : ['ci']
  console.log(`installing packages for ${level} (npm ${how.join(' ')})`)
  const patience = ['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000']
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  // The lock file names every version, so what the cache knows of a package is good enough.
  const result = spawnSync(
    'npm',
    [...how, ...filter(), '--prefer-offline', ...quiet, ...patience],
    {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      // Finds npm on any path; on Windows npm is a batch file.
      shell: process.platform === 'win32',
    },
  )
  if (result.status !== 0) fail(`npm ${how[0]} failed: ${reasonOf(result)}`)
  writeFileSync(stampFile, `${hash} ${level}`)
  console.log(`packages installed (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`)
}

/** Options of npm that name the workspaces of the level and of those before. The last has them all. */
function filter() {
  const upTo = levels.slice(0, levels.indexOf(level) + 1)
  if (upTo.length === levels.length) return []
  const names = upTo.flatMap((one) => workspacesOf[one])
  return [...names.map((name) => `--workspace=${name}`), '--include-workspace-root']
}

/**
 * Returns whether npm's record of installed packages equals the lock file. They differ if someone
 * ran npm by hand.
 */
function isCurrent(lock) {
  const record = join(installed, '.package-lock.json')
  if (!existsSync(record)) return false
  const wanted = JSON.parse(lock.toString()).packages
  const present = JSON.parse(readFileSync(record, 'utf8')).packages
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.includes('node_modules/')) return true
    // Nobody imports the workspaces that only name tools.
    if (entry.resolved?.startsWith('tests/tools')) return true
    if (entry.link === true) return present[path]?.resolved === entry.resolved
    // Optional packages may be for other platforms, and npm skips those.
    return present[path] === undefined
      ? entry.optional === true
      : present[path].version === entry.version
  })
}

function reasonOf({ error, stderr, stdout }) {
  if (error !== undefined) return `npm could not be run (${error.message})`
  const output = `${stderr}\n${stdout}`
  const network =
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ECONNABORTED|E5\d\d)\b/.exec(output)
  if (network !== null) return `the package registry cannot be reached (${network[1]})`
  return output.trim().split('\n').slice(0, 3).join(' ')
}

function nodeOfTheProject() {
  if (ownMajor >= projectNode) return process.execPath
  const node = join(installed, '.bin', 'node')
  if (existsSync(node)) return node
  return fail(
    `Node ${projectNode} comes as a package for Linux on x64 and arm64 only; here (${process.platform} ${process.arch}) install Node ${projectNode} yourself`,
  )
}

function run(node) {
  const child = spawn(node, ['--conditions=source', join(root, script), ...args], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${join(installed, '.bin')}:${process.env.PATH}` },
  })
  // npm passes SIGINT and SIGTERM on to this process alone: the scripts of package.json replace
  // npm's shell (`exec`), which would end at once. A terminal's Ctrl-C reaches the child as well,
  // which ends at a second SIGINT without cleaning up. It therefore gets another signal, once.
  process.once('SIGINT', () => child.kill('SIGTERM'))
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.once('error', (err) => fail(`${node} could not be started: ${err.message}`))
  child.once('exit', (code, signal) => {
    process.exitCode = signal === null ? code : 128 + constants.signals[signal]
  })
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
