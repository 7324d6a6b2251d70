import { whyNoContainers } from '../compose/docker-commands.ts'
import { runJest } from './jest-step.ts'
import type { Step } from './step.ts'

export type ContainerChecks = { steps: readonly Step[]; said: string }

const whatItIs = 'the images and docker-compose.yml'

/** Builds and starts the images. This takes minutes, so only `TEST_INFRA=containers` runs it. */
export async function containerChecks(
  dir: string,
  env: NodeJS.ProcessEnv,
): Promise<ContainerChecks> {
  if (env['TEST_INFRA'] !== 'containers') {
    return {
      steps: [],
      said: `${whatItIs} were not tested: TEST_INFRA=containers npm run test:all does`,
    }
  }
  const why = await whyNoContainers(env)
  if (why !== null) return { steps: [], said: `${whatItIs} were not tested: ${why}` }
  const run = () => runJest({ level: 'containers', dir, environment: async () => ({}) })
  return { steps: [{ name: 'containers', run }], said: `${whatItIs} were tested` }
}
