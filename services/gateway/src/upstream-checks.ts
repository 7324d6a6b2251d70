import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import type { Check } from '@surehook/service-kit/http/internal-server'

/**
 * Not ready only when no upstream can be reached at all: one that is away must not take the paths of
 * the others down with it.
 */
export function upstreamChecks(upstreams: Readonly<Record<string, URL>>): Record<string, Check> {
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
function answers(url: URL): Promise<void> {
  const open = url.protocol === 'https:' ? requestTls : request
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(1_500)
    open(url, { method: 'HEAD', agent: false, signal }, (res) => {
      res.resume()
      resolve()
    })
      .once('error', reject)
      .end()
  })
}
