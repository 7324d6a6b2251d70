// The directory and package names of what an image is made of: `gateway` is services/gateway, @surehook/gateway.
import { existsSync, readFileSync } from 'node:fs'

/** The image of the command `surehook` keeps its name; the package is beside those that users install. */
const elsewhere = { 'operator-cli': 'packages/cli', try: 'scripts' }
/** The commands of a checkout start services, and import none. */
const started = { try: ['single-process'] }

/** @param {string} image */
export function directoryOf(image) {
  const directory = elsewhere[image] ?? `services/${image}`
  if (!existsSync(directory)) throw new Error(`there is no ${directory}`)
  return directory
}

/** @param {string} image */
export function workspacesOf(image) {
  return [image, ...(started[image] ?? [])].map(
    (one) => JSON.parse(readFileSync(`${directoryOf(one)}/package.json`, 'utf8')).name,
  )
}
