import { runCommand } from '../lib/run-command.ts'

/** Returns `docker compose` or, if missing, `docker-compose`; `null` without either. */
export async function findCompose(): Promise<readonly string[] | null> {
  for (const compose of [['docker', 'compose'], ['docker-compose']]) {
    const { ok } = await runCommand({ args: [...compose, 'version'], timeoutMs: composeMs })
    if (ok) return compose
  }
  return null
}

/** Returns why containers cannot be used here, or `null`. */
export async function whyNoContainers(env: NodeJS.ProcessEnv): Promise<string | null> {
  const host = env['DOCKER_HOST']
  // Published ports would be on another machine.
  if (host && !/^(unix|npipe):/.test(host)) return 'DOCKER_HOST is another machine'
  const { ok } = await runCommand({ args: ['docker', 'info'], timeoutMs: askMs })
  if (!ok) return 'Docker does not answer'
  return (await findCompose()) === null ? 'Docker Compose is not installed' : null
}

/** Pulls the missing images. Returns the first that failed, or `null`. */
export async function pullMissing(
  images: readonly string[],
  options: { timeoutMs: number; onPull: (image: string) => void },
): Promise<string | null> {
  const outcomes = await Promise.all(images.map((image) => pullIfMissing(image, options)))
  return outcomes.find((outcome) => outcome !== null) ?? null
}

async function pullIfMissing(
  image: string,
  { timeoutMs, onPull }: { timeoutMs: number; onPull: (image: string) => void },
): Promise<string | null> {
  const inspect = ['docker', 'image', 'inspect', image]
  if ((await runCommand({ args: inspect, timeoutMs: askMs })).ok) return null
  onPull(image)
  const { ok } = await runCommand({ args: ['docker', 'pull', '--quiet', image], timeoutMs })
  return ok ? null : image
}

/** The longest wait for an answer of the daemon. */
const askMs = 10_000
/** Compose does not hang, but starts slowly on a busy machine. */
const composeMs = 60_000
