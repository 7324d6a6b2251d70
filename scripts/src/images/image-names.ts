import { readFileSync } from 'node:fs'
import { repoRoot } from '../lib/paths.ts'
import { serviceNames, singleProcess } from '../system/service-catalog.ts'

/** The directories of services/ that become images, and the operator's command. */
export const imageNames = [...serviceNames, singleProcess, 'operator-cli'] as const

/** One container with everything, to try Surehook out. It is a target of its own in the Dockerfile. */
export const tryImage = 'try'

export type ImageName = (typeof imageNames)[number] | typeof tryImage

/** The name in docker-compose.yml and the chart: `surehook/gateway:0.1.0`. */
export function tagOf(name: ImageName, env: NodeJS.ProcessEnv): string {
  return `${env['IMAGE_PREFIX'] || 'surehook'}/${name}:${env['IMAGE_TAG'] || version()}`
}

export function version(): string {
  const manifest = JSON.parse(readFileSync(`${repoRoot}/package.json`, 'utf8')) as {
    version: string
  }
  return manifest.version
}
