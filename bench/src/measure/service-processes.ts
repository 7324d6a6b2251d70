import { readdirSync, readFileSync } from 'node:fs'

/**
 * Returns the internal addresses of a service's replicas, or of the single process. They are read
 * from the processes' environment.
 */
export function internalUrlsOf(runDirs: readonly string[], service: string): string[] {
  const single = pidFilesOf(runDirs, 'single-process')
  return (single.length > 0 ? single : pidFilesOf(runDirs, service)).map((file) => {
    const { INTERNAL_PORT } = environmentOf(file)
    return `http://127.0.0.1:${INTERNAL_PORT}`
  })
}

/** Reads the environment with which the process was started. */
export function environmentOf(pidFile: string): Record<string, string> {
  const text = readFileSync(`/proc/${pidOf(pidFile)}/environ`, 'utf8')
  const pairs = text.split('\0').filter((pair) => pair.includes('='))
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
}

export const commandOf = (pidFile: string): string[] =>
  readFileSync(`/proc/${pidOf(pidFile)}/cmdline`, 'utf8')
    .split('\0')
    .filter(Boolean)

export function pidFilesOf(runDirs: readonly string[], service: string): string[] {
  const isOne = new RegExp(`^${service}(-\\d+)?\\.pid$`)
  return runDirs.flatMap((dir) =>
    readdirSync(dir)
      .filter((name) => isOne.test(name))
      .map((name) => `${dir}/${name}`),
  )
}

const pidOf = (pidFile: string) => readFileSync(pidFile, 'utf8').split('\n', 1)[0]
