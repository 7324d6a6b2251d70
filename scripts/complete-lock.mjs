// `npm ci` refuses a lock file that lacks an entry for any optional package, including those of
// other platforms. npm leaves such entries out if its registry (a mirror, for example) does not
// have the packages. This script adds the missing entries. With --check it only reports them. Run
// it after `npm install`.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const lockFile = fileURLToPath(new URL('../package-lock.json', import.meta.url))
const lock = JSON.parse(readFileSync(lockFile, 'utf8'))
const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
  Object.entries(optionalDependencies).filter(([name]) => !isLocked(path, name)),
)

if (missing.length > 0 && process.argv.includes('--check')) {
  console.error(`package-lock.json lacks ${missing.length} optional packages of other platforms:`)
  console.error('run "node scripts/complete-lock.mjs" and commit it')
  process.exitCode = 1
} else if (missing.length > 0) {
  for (const [name, version] of missing) {
    lock.packages[`node_modules/${name}`] = { version, ...platformOf(name), optional: true }
  }
  const [root, ...rest] = Object.entries(lock.packages)
  rest.sort(([a], [b]) => a.localeCompare(b, 'en'))
  lock.packages = Object.fromEntries([root, ...rest])
  writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`${missing.length} entries added to package-lock.json`)
}

/** Searches like Node: beside the package, then in every parent folder. */
function isLocked(path, name) {
  for (let at = path; ; at = at.slice(0, Math.max(at.lastIndexOf('/node_modules/'), 0))) {
    if (lock.packages[`${at}${at === '' ? '' : '/'}node_modules/${name}`] !== undefined) return true
    if (at === '') return false
  }
}

/**
 * Platform packages have the platform in their names: `@biomejs/cli-linux-arm64-musl`,
 * `@turbo/darwin-64`.
 */
function platformOf(name) {
  const words = name.slice(name.indexOf('/') + 1).split(/[-.]/)
  const os = words.find((word) =>
    /^(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32|windows)$/.test(
      word,
    ),
  )
  const cpu = words.find((word) =>
    /^(arm|arm64|x64|64|ia32|mips64el|ppc64|ppc64le|riscv64|s390x|loong64)$/.test(word),
  )
  if (os === undefined || cpu === undefined) throw new Error(`no platform in the name "${name}"`)
  const libc = words.find((word) => /^(musl|gnu)/.test(word))
  return {
    cpu: [cpu === '64' ? 'x64' : cpu],
    ...(libc && { libc: [libc.startsWith('musl') ? 'musl' : 'glibc'] }),
    os: [os === 'windows' ? 'win32' : os],
  }
}
