import { readFile } from 'node:fs/promises'
import { repoRoot } from '../lib/paths.ts'
import type { ComponentName } from '../local-stack/component.ts'

export const infrastructure: readonly ComponentName[] = ['kafka', 'registry', 'postgres', 'redis']

/** Returns the images of Kafka, registry, PostgreSQL and Redis in docker-compose.yml. */
export async function infrastructureImages(): Promise<string[]> {
  const compose = await readFile(`${repoRoot}/docker-compose.yml`, 'utf8')
  return infrastructure.map((name) => {
    const image = new RegExp(`^  ${name}:\\n(?:    .*\\n)*?    image: (\\S+)$`, 'm').exec(
      compose,
    )?.[1]
    if (image === undefined) throw new Error(`docker-compose.yml names no image of ${name}`)
    return image
  })
}
