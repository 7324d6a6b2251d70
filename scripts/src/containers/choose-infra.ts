import { requireJava } from '../local-stack/java.ts'
import { requireMaven } from '../local-stack/maven.ts'
import { requireDocker } from './docker.ts'

export type Infra = 'local' | 'containers'

const variable = 'TEST_INFRA'

/**
 * Returns `TEST_INFRA` if set, or else the local stack. Containers are used only if the local stack
 * cannot run and Docker answers.
 */
export async function chooseInfra(env: NodeJS.ProcessEnv): Promise<Infra> {
  const asked = env[variable] || null
  if (asked === 'local' || asked === 'containers') return asked
  if (asked !== null) {
    throw new Error(`${variable} is "local" or "containers", not "${asked}"`)
  }
  if ((await whyNotLocal(env)) === null) return 'local'
  const dockerAnswers = await requireDocker().then(
    () => true,
    () => false,
  )
  // If neither works, the local stack reports what is missing.
  return dockerAnswers ? 'containers' : 'local'
}

/** Returns what the local stack lacks here, or `null` if it can run. */
export async function whyNotLocal(env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    await requireJava()
    await requireMaven(env)
    return null
  } catch (err) {
    return (err as Error).message
  }
}
