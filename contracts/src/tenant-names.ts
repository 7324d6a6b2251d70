import * as z from 'zod'

/**
 * Project and environment names appear in paths, topics and keys, so their characters are
 * restricted.
 */
const platformName = (what: string) =>
  z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, `${what}: 1 to 64 letters, digits, "-" or "_"`)

export const ProjectId = platformName('project').meta({
  id: 'ProjectId',
  description: 'The name of the project',
})
export const EnvironmentName = platformName('environment').meta({
  id: 'EnvironmentName',
  description: 'The name of the environment',
})
