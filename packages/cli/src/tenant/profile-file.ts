import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { reasonOf } from '@surehook/service-kit/errors'
import * as z from 'zod'
import { Failure } from '../cli/command.ts'

/** What `surehook login` stores under a name. */
const Profile = z.object({
  url: z.string(),
  project: z.string(),
  environment: z.string(),
  token: z.string(),
})
export type Profile = z.infer<typeof Profile>

const Profiles = z.object({
  /** The profile of commands without `--profile`. */
  current: z.string().nullable(),
  profiles: z.record(z.string(), Profile),
})
export type Profiles = z.infer<typeof Profiles>

/**
 * Returns the path of the file below XDG_CONFIG_HOME, or undefined if the environment names no
 * directory of the user.
 */
export function profileFile(env: NodeJS.ProcessEnv): string | undefined {
  const { XDG_CONFIG_HOME: config = '', HOME, USERPROFILE } = env
  const home = HOME || USERPROFILE
  // The XDG specification says to ignore a relative path.
  const dir = isAbsolute(config) ? config : home && join(home, '.config')
  return dir ? join(dir, 'surehook', 'profiles.json') : undefined
}

/** Throws a `Failure` if other users may read the file. */
export function readProfiles(env: NodeJS.ProcessEnv): Profiles {
  const file = profileFile(env)
  const text = file === undefined ? undefined : textOf(file)
  if (text === undefined) return { current: null, profiles: {} }
  try {
    return Profiles.parse(JSON.parse(text))
  } catch (err) {
    throw new Failure(`${file} does not hold profiles of surehook: repair or delete it`, {
      reason: reasonOf(err),
    })
  }
}

/** Windows has no such modes. */
const hasModes = process.platform !== 'win32'

function textOf(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  if (hasModes && (stat.mode & 0o077) !== 0) {
    throw new Failure(`Other users may read the tokens in ${file}. Run "chmod 600 ${file}"`)
  }
  return readFileSync(file, 'utf8')
}

/** Replaces the file at once: a reader sees the old file or the new one. */
export function writeProfiles(env: NodeJS.ProcessEnv, profiles: Profiles): string {
  const file = profileFile(env)
  if (file === undefined) throw new Failure('No place for profiles: set XDG_CONFIG_HOME or HOME')
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${randomUUID()}`
  // The mode counts from the creation on: nobody else can open the file in between.
  writeFileSync(next, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(next, file)
  return file
}
