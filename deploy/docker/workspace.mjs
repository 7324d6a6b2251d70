// The directory and package name of what an image is made of: `gateway` is services/gateway, @surehook/gateway.
import { existsSync, readFileSync } from 'node:fs'

/** The image of the command `surehook` keeps its name; the package is beside those that users install. */
const elsewhere = { 'operator-cli': 'packages/cli' }

/** @param {string} image */
export function directoryOf(image) {
  const directory = elsewhere[image] ?? `services/${image}`
  if (!existsSync(directory)) throw new Error(`there is no ${directory}`)
  return directory
}

/** @param {string} image */
export function workspaceOf(image) {
  return JSON.parse(readFileSync(`${directoryOf(image)}/package.json`, 'utf8')).name
}
