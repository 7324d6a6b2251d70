import { existsSync } from 'node:fs'
import { pullMissing, whyNoContainers } from '../compose/docker-commands.ts'
import { infrastructureImages } from '../compose/infrastructure-images.ts'
import { state } from '../lib/paths.ts'
import { containersFile } from './containers-state.ts'

/** How Kafka, registry, PostgreSQL and Redis run: as processes or in containers. */
export type Way = 'local' | 'containers'

export type Choice = { way: Way; because: string }

/** The facts that the choice depends on. */
export type Circumstances = {
  /** The value of `START_WITH`. */
  asked: string | undefined
  keptLocally: boolean
  keptInContainers: boolean
  isCi: boolean
  /** Returns why containers cannot be used, or `null`. Called only if needed. */
  whyNoContainers: () => Promise<string | null>
  /** Returns an image that cannot be pulled within the time limit of a start, or `null`. */
  missingImage: () => Promise<string | null>
}

/**
 * How long a start waits for images before it uses the local stack, whose downloads take about as
 * long.
 */
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

/**
 * Chooses `START_WITH` if set. Otherwise chooses the place of this checkout's data, or else
 * containers if they are available at once.
 */
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

/** The local stack is no alternative here, because it would start with its own, empty data. */
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
