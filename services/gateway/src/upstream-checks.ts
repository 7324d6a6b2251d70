import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import type { Check } from '@surehook/service-kit/http/internal-server'
import type { UpstreamAddress } from './forwarding/target.ts'

/**
 * The gateway is unready only if no upstream is reachable. One missing upstream must not make the
 * others' paths unavailable.
 */
export function upstreamChecks(
  upstreams: Readonly<Record<string, UpstreamAddress>>,
): Record<string, Check> {
  return {
    upstreams: async () => {
      const names = Object.keys(upstreams)
      await Promise.any(Object.values(upstreams).map(answers)).catch(() => {
        throw new Error(`none of ${names.join(', ')} can be reached`)
      })
    },
  }
}

/** Any answer passes: the upstream's own readiness probe judges its state. */
async function answers(url: UpstreamAddress): Promise<void> {
  // A service in this process always answers.
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
