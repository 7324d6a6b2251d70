import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Endpoints } from '@surehook/scripts/lib/endpoints'
import { freePort } from '@surehook/scripts/lib/ports'
import { type Mode, modeOf } from '@surehook/scripts/system/service-catalog'
import { openSystemOn } from '../open-system.ts'
import { openTrustedCertificates } from '../trusted-certificates.ts'
import type { SharedSystem } from './ask-shared.ts'

export type SharedSystems = AsyncDisposable & {
  /**
   * `GET /1/single` answers the system of worker 1, all services in one process, and starts it if
   * necessary; `GET /1/separate` that of separate processes. `DELETE /1` stops it: two systems on one
   * stack would share their consumer groups.
   */
  readonly url: string
}

/**
 * Serves one system per Jest worker, because the start of all services costs as much CPU as most
 * test files. Runs in Jest's own process, so that a system outlives the test file that asked first.
 * @param stacks the stack of each worker
 */
export async function openSharedSystems(stacks: readonly Endpoints[]): Promise<SharedSystems> {
  const systems = new Map<number, Promise<StartedSystem>>()
  const start = async (worker: number, mode: Mode) => {
    const running = await systems.get(worker)?.catch(() => undefined)
    if (running !== undefined && running.mode !== mode) await stop(worker)
    const started = systems.get(worker) ?? startOn(stacks[worker - 1], mode)
    systems.set(worker, started)
    // The next file tries again.
    started.catch(() => systems.delete(worker))
    return (await started).system
  }
  const stop = async (worker: number) => {
    const started = await systems.get(worker)?.catch(() => undefined)
    await started?.[Symbol.asyncDispose]()
    systems.delete(worker)
    return {}
  }
  const server = createServer((req, res) => {
    const [, number, mode] = req.url?.split('/') ?? []
    const worker = Number(number)
    const asked =
      req.method === 'DELETE' ? stop(worker) : start(worker, modeOf({ SUREHOOK_MODE: mode }))
    void asked.then(
      (body) => answer(res, 200, body),
      (err: unknown) => answer(res, 500, { message: String(err) }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await Promise.all(Array.from(systems.keys(), stop))
    },
  }
}

type StartedSystem = AsyncDisposable & { readonly system: SharedSystem; readonly mode: Mode }

async function startOn(endpoints: Endpoints | undefined, mode: Mode): Promise<StartedSystem> {
  await using opened = new AsyncDisposableStack()
  if (endpoints === undefined) throw new Error('this worker has no stack')
  const { certificates, env: trust } = opened.use(await openTrustedCertificates())
  const mailPort = await freePort()
  const env = {
    ...trust,
    SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
    TRUSTED_PROXIES: '127.0.0.0/8,::1/128',
  }
  const { baseUrl, adminToken, serviceToken } = opened.use(
    await openSystemOn(endpoints, { env, mode }),
  )
  const resources = opened.move()
  return {
    system: { baseUrl, adminToken, serviceToken, endpoints, certificates, mailPort },
    mode,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function answer(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
