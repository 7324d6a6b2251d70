import { unavailable } from '@surehook/service-kit/errors'
import { connectTimeoutMs } from '@surehook/service-kit/postgres/pool'
import type { Pool } from 'pg'

type Tenant = { projectId: string; environment: string }

export type TenantGate = {
  /**
   * Runs the work when the tenant has capacity. Rejects with SERVICE_UNAVAILABLE after too long a
   * wait.
   */
  pass<T>(tenant: Tenant, work: () => Promise<T> | T): Promise<T>
}

type Line = { inside: number; waiting: Set<() => void> }

/**
 * Limits the concurrent requests of each tenant, so that slow requests of one leave connections for
 * others.
 */
export function createTenantGate(limits: { maxInside: number; maxWaitMs: number }): TenantGate {
  const lines = new Map<string, Line>()
  return {
    async pass({ projectId, environment }, work) {
      const key = JSON.stringify([projectId, environment])
      const line = lines.get(key) ?? { inside: 0, waiting: new Set() }
      lines.set(key, line)
      if (line.inside < limits.maxInside) line.inside++
      else await turnIn(line, limits.maxWaitMs)
      try {
        return await work()
      } finally {
        if (!letNextIn(line) && --line.inside === 0) lines.delete(key)
      }
    },
  }
}

/** Runs work of a project when the project has capacity. */
export type ProjectGate = <T>(projectId: string, work: () => Promise<T>) => Promise<T>

/**
 * Lets the work of one project hold at most a quarter of the pool's connections. A project may have
 * many environments.
 */
export function createProjectGate({ options }: Pick<Pool, 'options'>): ProjectGate {
  const maxInside = Math.max(1, Math.floor(options.max / 4))
  const gate = createTenantGate({ maxInside, maxWaitMs: connectTimeoutMs })
  return (projectId, work) => gate.pass({ projectId, environment: '' }, work)
}

/** Resolves when a request that ends passes on its place. */
function turnIn({ waiting }: Line, maxWaitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.delete(enter)
      reject(unavailable('The tenant has too much under way'))
    }, maxWaitMs)
    waiting.add(enter)
  })
}

function letNextIn({ waiting }: Line): boolean {
  const [enter] = waiting
  if (enter === undefined) return false
  waiting.delete(enter)
  enter()
  return true
}
