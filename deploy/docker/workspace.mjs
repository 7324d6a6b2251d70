// The package name of a directory of services/ or libs/: `gateway` is @surehook/gateway.
import { existsSync, readFileSync } from 'node:fs'

/** @param {string} service */
export function directoryOf(service) {
  const found = ['services', 'libs'].map((parent) => `${parent}/${service}`).find(existsSync)
  if (found === undefined) throw new Error(`there is no services/${service} or libs/${service}`)
  return found
}

/** @param {string} service */
export function workspaceOf(service) {
  return JSON.parse(readFileSync(`${directoryOf(service)}/package.json`, 'utf8')).name
}
