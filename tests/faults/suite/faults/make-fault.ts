import { setTimeout as wait } from 'node:timers/promises'
import type { ProcessHandle } from '@surehook/scripts/lib/processes/managed-process'
import { type ServiceName, serviceNames } from '@surehook/scripts/system/service-catalog'
import type { ServiceHandle } from '@surehook/scripts/system/start-services'
import type { LinkState } from '@surehook/testing/tcp-proxy'
import { components, type Trial } from '../plan.ts'
import { replicaName } from '../stage/links.ts'
import type { Stage } from '../stage/stage.ts'
import { standStill } from './stand-still.ts'

/** Makes the fault, waits, and ends it. */
export async function makeFault(trial: Trial, stage: Stage): Promise<void> {
  const lasts = () => wait(trial.seconds * 1_000)
  const victims = victimsOf(trial, stage)
  switch (trial.kind) {
    case 'kill':
      await all(victims, (victim) => victim.kill('SIGKILL'))
      await lasts()
      await all(victims, (victim) => victim.restart())
      return
    case 'stop':
      await standStill(victims, lasts)
      return
    case 'restart':
      for (const victim of victims) await victim.restart()
      return
    case 'partition':
      cut(trial, stage, stateOf(trial))
      await lasts()
      cut(trial, stage, { kind: 'pass' })
      return
    case 'slow-disk':
      stage.slowDisk?.set(trial.target, trial.diskLateMs)
      await lasts()
      stage.slowDisk?.set(trial.target, 0)
      return
    case 'clock':
      await setClocks(trial, stage, trial.clockAheadMs)
      await lasts()
      await setClocks(trial, stage, -trial.clockAheadMs)
      await lasts()
      await setClocks(trial, stage, 0)
      return
    case 'scale':
      await scale(stage.system.services[trial.target as ServiceName])
      return
    case 'rolling':
      for (const service of serviceNames) {
        for (const replica of running(stage, service)) await replica.restart()
      }
  }
}

/** Two of three replicas run, except during scaling. */
const running = (stage: Stage, service: ServiceName): readonly ServiceHandle[] =>
  stage.system.services[service].slice(0, 2)

function placesOf({ victims }: Trial): readonly number[] {
  switch (victims) {
    case 'first':
      return [0]
    case 'second':
      return [1]
    case 'both':
      return [0, 1]
  }
}

function victimsOf(trial: Trial, stage: Stage): ProcessHandle[] {
  const component = components.find((name) => name === trial.target)
  if (component !== undefined) {
    const process = stage.stack.processes[component]
    return process === undefined ? [] : [process]
  }
  if (trial.target === 'system') return []
  const replicas = running(stage, trial.target as ServiceName)
  return replicas.filter((_, place) => placesOf(trial).includes(place))
}

async function all<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  await Promise.all(items.map(work))
}

function stateOf({ link, linkDelayMs }: Trial): LinkState {
  return link === 'delay' ? { kind: link, ms: linkDelayMs } : { kind: link }
}

function cut(trial: Trial, { links }: Stage, state: LinkState): void {
  const places = placesOf(trial)
  links.set(state, ({ replica, service, to }) => {
    if (to === trial.target) return true
    if (service !== trial.target || to !== trial.from) return false
    return places.some((place) => replica === replicaName(trial.target as ServiceName, place))
  })
}

async function setClocks(trial: Trial, stage: Stage, aheadMs: number): Promise<void> {
  await all(placesOf(trial), (place) =>
    stage.setClock(replicaName(trial.target as ServiceName, place), aheadMs),
  )
}

/** Runs two replicas, one, two, one, three (if there is a third), and two. */
async function scale([, second, third]: readonly ServiceHandle[]): Promise<void> {
  await second?.stop()
  await second?.restart()
  await second?.stop()
  await Promise.all([second?.restart(), third?.restart()])
  await third?.stop()
}
