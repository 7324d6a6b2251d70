import { requireJava } from '../local-stack/java.ts'
import { requireMaven } from '../local-stack/maven.ts'
import { requireDocker } from './docker.ts'

export type Infra = 'local' | 'containers'

const variable = 'TEST_INFRA'

/** What `TEST_INFRA` says; else the local stack, and containers only where that cannot run and Docker answers. */
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
  // With neither it is the local stack that says what it lacks.
  return dockerAnswers ? 'containers' : 'local'
}

/** What the local stack lacks here, in a sentence; null when it can run. */
export async function whyNotLocal(env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    await requireJava()
    await requireMaven(env)
    return null
  } catch (err) {
    return (err as Error).message
  }
}
