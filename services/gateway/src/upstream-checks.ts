import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import type { Check } from '@surehook/service-kit/http/internal-server'
import type { Place } from './forwarding/target.ts'

/**
 * Not ready only when no upstream can be reached at all: one that is away must not take the paths of
 * the others down with it.
 */
export function upstreamChecks(upstreams: Readonly<Record<string, Place>>): Record<string, Check> {
  return {
    upstreams: async () => {
      const names = Object.keys(upstreams)
      await Promise.any(Object.values(upstreams).map(answers)).catch(() => {
        throw new Error(`none of ${names.join(', ')} can be reached`)
      })
    },
  }
}

/** Any answer will do: what it says about itself is its own readiness. */
async function answers(url: Place): Promise<void> {
  // A service of this process.
  if (!(url instanceof URL)) return
  const open = url.protocol === 'https:' ? requestTls : request
  await new Promise<void>((resolve, reject) => {
    const signal = AbortSignal.timeout(1_500)
    open(url, { method: 'HEAD', agent: false, signal }, (res) => {
      res.resume()
      resolve()
    })
      .once('error', reject)
      .end()
  })
}
