import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { waitUntil } from '@surehook/service-kit/wait-until'
import { isAlive } from './process-table.ts'

export type ProcessRecord = { pid: number; stopSignal: NodeJS.Signals; marker: string }

/**
 * The processes of one directory. Recorded processes end with this one, however it ends: a shell
 * holds the other end of a pipe, and kills them when the pipe closes.
 */
export type ProcessGroup = {
  record(name: string, entry: ProcessRecord): Promise<void>
  forget(name: string): Promise<void>
  close(): Promise<void>
}

const watchdogScript = `
trap '' INT TERM HUP
while read -r _; do :; done
alive() {
  if [ -r "/proc/$1/cmdline" ]; then tr '\\0' ' ' <"/proc/$1/cmdline"; else ps -o args= -p "$1"; fi |
    grep -qF -- "$2"
}
each() {
  for file in "$dir"/*.pid; do
    [ -f "$file" ] || continue
    { read -r pid; read -r signal; read -r marker; } <"$file"
    if alive "$pid" "$marker"; then "$@"; else rm -f "$file"; fi
  done
}
end() { kill -s "$signal" "$pid"; }
endNow() { kill -s KILL "$pid"; }
left() { ls "$dir"/*.pid >/dev/null 2>&1; }
dir=$1
each end
tries=0
while left && [ $tries -lt 40 ]; do sleep 0.25; each true; tries=$((tries + 1)); done
each endNow
`

/**
 * Ends processes that an earlier owner of the directory left behind, and then watches the recorded
 * ones.
 */
export async function openProcessGroup(dir: string): Promise<ProcessGroup> {
  const runDir = `${dir}/run`
  await mkdir(runDir, { recursive: true })
  await claim(runDir)
  await endLeftovers(dir)
  const watchdog = spawn('sh', ['-c', watchdogScript, 'surehook-watchdog', runDir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watchdog.unref()
  await writeFile(`${runDir}/watchdog`, String(watchdog.pid))
  return {
    record: (name, { pid, stopSignal, marker }) =>
      writeFile(`${runDir}/${name}.pid`, `${pid}\n${stopSignal.slice(3)}\n${marker}\n`),
    forget: (name) => rm(`${runDir}/${name}.pid`, { force: true }),
    close: async () => {
      await closeWatchdog(watchdog)
      await Promise.all([
        rm(`${runDir}/owner`, { force: true }),
        rm(`${runDir}/watchdog`, { force: true }),
      ])
    },
  }
}

async function closeWatchdog(watchdog: ChildProcess): Promise<void> {
  if (watchdog.exitCode !== null) return
  const closed = new Promise((resolve) => watchdog.once('exit', resolve))
  watchdog.ref()
  watchdog.stdin?.end()
  await closed
}

/** Returns the live owner of a directory, or `null`. */
export async function ownerOf(dir: string): Promise<number | null> {
  const lines = await readLines(`${dir}/run/owner`)
  const [pid, marker] = [Number(lines?.[0]), lines?.[1]]
  return marker !== undefined && pid !== process.pid && isAlive(pid, marker) ? pid : null
}

async function claim(runDir: string): Promise<void> {
  const owner = await ownerOf(runDir.slice(0, -'/run'.length))
  if (owner !== null) throw new Error(`${runDir} is in use by the running process ${owner}`)
  await writeFile(`${runDir}/owner`, `${process.pid}\n${process.argv.slice(1, 3).join(' ')}\n`)
}

/**
 * Ends the processes that a killed owner of the directory left behind, and returns their names. Its
 * watchdog may do the same at this moment; the result is the same.
 */
export async function endLeftovers(dir: string): Promise<string[]> {
  const runDir = `${dir}/run`
  const files = existsSync(runDir) ? await readdir(runDir) : []
  const ended: string[] = []
  for (const file of files.filter((name) => name.endsWith('.pid'))) {
    const [pidText, signal, marker] = (await readLines(`${runDir}/${file}`)) ?? []
    if (pidText === undefined || marker === undefined) continue
    const pid = Number(pidText)
    if (isAlive(pid, marker)) {
      process.kill(pid, `SIG${signal}` as NodeJS.Signals)
      await waitUntil(() => !isAlive(pid, marker), {
        what: `end of the left-over process ${pid}`,
        timeoutMs: 10_000,
      }).catch(() => process.kill(pid, 'SIGKILL'))
      ended.push(basename(file, '.pid'))
    }
    await rm(`${runDir}/${file}`, { force: true })
  }
  return ended
}

async function readLines(file: string): Promise<string[] | null> {
  try {
    return (await readFile(file, 'utf8')).split('\n')
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw err
  }
}
