import { existsSync } from 'node:fs'
import { pullMissing, whyNoContainers } from '../compose/docker-commands.ts'
import { infrastructureImages } from '../compose/infrastructure-images.ts'
import { state } from '../lib/paths.ts'
import { containersFile } from './containers-state.ts'

/** How Kafka, registry, PostgreSQL and Redis are run: as processes, or in containers. */
export type Way = 'local' | 'containers'

export type Choice = { way: Way; because: string }

/** What bears on the choice. */
export type Circumstances = {
  /** `START_WITH`. */
  asked: string | undefined
  keptLocally: boolean
  keptInContainers: boolean
  isCi: boolean
  /** Why containers cannot be used; null when they can. Asked only when it matters. */
  whyNoContainers: () => Promise<string | null>
  /** Of images that cannot be had within the time of a start; null when all are there. */
  missingImage: () => Promise<string | null>
}

/** So long a start waits for images before it goes on without: as long as the other way's downloads may take. */
const pullWithinMs = 120_000
const pullWhenAskedMs = 1_200_000

export function circumstancesOf(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Circumstances {
  const asked = env['START_WITH'] || undefined
  return {
    asked,
    keptLocally: existsSync(`${state.stackDir}/postgres-password`),
    keptInContainers: existsSync(containersFile),
    isCi: Boolean(env['CI']),
    whyNoContainers: () => whyNoContainers(env),
    missingImage: async () =>
      pullMissing(await infrastructureImages(), {
        timeoutMs: asked === 'containers' ? pullWhenAskedMs : pullWithinMs,
        onPull: (image) => say(`pulling ${image}`),
      }),
  }
}

/** `START_WITH` wins; else where this checkout's data is; else containers when they can be had at once. */
export async function chooseWay(circumstances: Circumstances): Promise<Choice> {
  const { asked, keptLocally, keptInContainers, isCi } = circumstances
  if (asked === 'local') return { way: 'local', because: 'START_WITH=local' }
  if (asked === 'containers') return inContainers(circumstances, 'START_WITH=containers')
  if (asked !== undefined) {
    throw new Error(`START_WITH is "local" or "containers", not "${asked}"`)
  }
  if (keptLocally) return { way: 'local', because: 'the data of this checkout is there' }
  if (keptInContainers) return inContainers(circumstances, 'the data of this checkout is there')
  if (isCi) return { way: 'local', because: 'CI is set' }
  const obstacle = await obstacleOf(circumstances)
  if (obstacle !== null) return { way: 'local', because: obstacle }
  return { way: 'containers', because: 'Docker answers and has the images' }
}

/** There is no other way: data of its own would begin there. */
async function inContainers(circumstances: Circumstances, because: string): Promise<Choice> {
  const obstacle = await obstacleOf(circumstances)
  if (obstacle === null) return { way: 'containers', because }
  throw new Error(
    `${obstacle}, but ${because}. START_WITH=local npm start begins with data of its own, as processes`,
  )
}

async function obstacleOf(circumstances: Circumstances): Promise<string | null> {
  const why = await circumstances.whyNoContainers()
  if (why !== null) return why
  const image = await circumstances.missingImage()
  return image === null ? null : `${image} cannot be pulled`
}
