import { reasonOf } from '@surehook/service-kit/errors'
import { openBrowser } from 'surehook/console/open-browser'
import {
  consoleCommands,
  consoleUrlOf,
  type FirstDelivery,
  makeFirstDelivery,
} from 'surehook/demo/first-delivery'
import { adminClientOf, type Platform } from 'surehook/lib/platform-client'

/** The project that `npm start` makes in an empty system. */
const demoProject = 'demo'
const patienceMs = 60_000

export type Terminal = {
  env: NodeJS.ProcessEnv
  /** True if a person reads the output. */
  isInteractive: boolean
}

/**
 * Only a person at a terminal gets a first delivery. Scripts, tests, CI and systems with a
 * `DATABASE_URL` start empty.
 */
export function wantsFirstDelivery({ env, isInteractive }: Terminal): boolean {
  return isInteractive && !env['CI'] && !env['DATABASE_URL'] && env['SUREHOOK_DEMO'] !== '0'
}

type Options = {
  env: NodeJS.ProcessEnv
  receiverUrl: string
  /** Opens the console on the delivery. */
  opensConsole: boolean
}

/**
 * Makes a first delivery, unless the system has a project, and returns what to say about it. The
 * system runs without it, so that a failure is only told.
 */
export async function showFirstDelivery(
  platform: Platform,
  { env, receiverUrl, opensConsole }: Options,
): Promise<string | null> {
  const signal = AbortSignal.timeout(patienceMs)
  try {
    const { projects } = await adminClientOf(platform).admin.projects.list({ limit: 1 })
    if (projects.length > 0) return null
    const first = await makeFirstDelivery({ platform, project: demoProject, receiverUrl, signal })
    const isOpen = opensConsole && (await openBrowser(await consoleUrlOf(platform, first), env))
    return told(platform, first, isOpen)
  } catch (err) {
    return `\nThe first delivery is missing: ${reasonOf(err)}`
  }
}

function told(platform: Platform, first: FirstDelivery, isOpen: boolean): string {
  const { project, delivery } = first
  return `
Project ${project} has the table orders, a webhook to the test receiver, and a first record. The
status of its delivery is ${delivery.status}. ${isOpen ? 'Your browser shows it. To open it again' : 'To see it in the console'}, in another terminal:

  ${consoleCommands(platform, first).join('\n  ')}`
}
