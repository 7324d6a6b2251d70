import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { AppError, reasonOf } from '../errors.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { listenGracefully } from './connection/graceful-server.ts'
import { requireHost } from './connection/require-host.ts'
import { sendProblem } from './problem.ts'
import { securityHeaders } from './security-headers.ts'

/** Resolves when the dependency is usable, otherwise rejects or throws. */
export type Check = () => Promise<void> | void

export type InternalServer = AsyncDisposable & {
  readonly port: number
  /** Sets the checks of `/readyz`, which returns 503 before this call. */
  setChecks(checks: Readonly<Record<string, Check>>): void
}

export type InternalServerOptions = {
  port: number
  host: string
  metrics: Metrics
  log: Logger
  checks?: Readonly<Record<string, Check>>
}

const checkTimeoutMs = 2_000
const starting: Readonly<Record<string, Check>> = {
  startup: () => {
    throw new Error('still starting')
  },
}

/**
 * Serves `/metrics`, `/healthz` and `/readyz`. Open it first, so that operators can see which
 * dependency the service waits for.
 */
export async function openInternalServer(options: InternalServerOptions): Promise<InternalServer> {
  const { metrics, log, port, host } = options
  const readiness = openReadiness(options)
  const server = await serveInternally({
    ...{ port, host, log },
    checks: { '/readyz': () => readiness.checks },
    metrics: () => metrics.registry.metrics(),
    contentType: metrics.registry.contentType,
  })
  return {
    port: server.port,
    setChecks: (next) => readiness.setChecks(next),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

export type Readiness = Pick<InternalServer, 'setChecks'> & {
  readonly checks: Readonly<Record<string, Check>>
}

/** Checks of a service, which fail until the service sets them. Each check is also a metric. */
export function openReadiness(
  options: Pick<InternalServerOptions, 'metrics' | 'checks'>,
): Readiness {
  let checks = options.checks ?? starting
  observeReadiness(options.metrics, () => checks)
  return {
    get checks() {
      return checks
    },
    setChecks(next) {
      checks = next
    },
  }
}

export type InternalAnswers = Pick<InternalServerOptions, 'port' | 'host' | 'log'> & {
  /** Checks by path. */
  checks: Readonly<Record<string, () => Readonly<Record<string, Check>>>>
  metrics: () => Promise<string>
  contentType: string
}

export async function serveInternally(
  answers: InternalAnswers,
): Promise<AsyncDisposable & { readonly port: number }> {
  const { log, port, host } = answers
  const routes: Readonly<Record<string, (res: ServerResponse) => Promise<void>>> = {
    '/healthz': async (res) => send(res, 200, { status: 'ok' }),
    ...Object.fromEntries(
      Object.entries(answers.checks).map(([path, checks]) => [
        path,
        (res: ServerResponse) => answerReadiness(res, checks()),
      ]),
    ),
    '/metrics': async (res) => {
      const text = await answers.metrics()
      res.writeHead(200, { 'Content-Type': answers.contentType }).end(text)
    },
  }
  const server = await listenGracefully(
    (req, res) => {
      for (const [name, value] of Object.entries(securityHeaders)) res.setHeader(name, value)
      route(routes, req, res).catch((err: unknown) => {
        if (err instanceof AppError) return sendProblem(res, err)
        log.error({ err }, 'internal.failed')
        res.destroy()
      })
    },
    { port, host, closeGraceMs: 1_000, lingerMs: 0 },
  )
  return { port: server.port, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

async function answerReadiness(
  res: ServerResponse,
  checks: Readonly<Record<string, Check>>,
): Promise<void> {
  const failed = await failedChecks(checks)
  const ready = Object.keys(failed).length === 0
  send(res, ready ? 200 : 503, ready ? { status: 'ok' } : { status: 'unavailable', failed })
}

/** Runs the checks on every scrape, as `/readyz` does. */
function observeReadiness(metrics: Metrics, checks: () => Readonly<Record<string, Check>>): void {
  metrics.gauge({
    name: 'surehook_ready',
    help: '1 for each check of /readyz that passes, otherwise 0',
    labelNames: ['check'],
    async collect() {
      const current = checks()
      const failed = await failedChecks(current)
      this.reset()
      for (const check of Object.keys(current)) this.set({ check }, check in failed ? 0 : 1)
    },
  })
}

async function route(
  routes: Readonly<Record<string, (res: ServerResponse) => Promise<void>>>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  requireHost(req)
  const path = (req.url ?? '').split('?', 1)[0] ?? ''
  const answer = Object.hasOwn(routes, path) ? routes[path] : undefined
  if (answer === undefined) return send(res, 404, { error: 'NOT_FOUND' })
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    res.setHeader('Allow', 'GET, HEAD')
    return send(res, 405, { error: 'METHOD_NOT_ALLOWED' })
  }
  return answer(res)
}

function send(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}

/**
 * Runs all checks concurrently. Resolves with the reason of each check that failed or timed out.
 */
export async function failedChecks(
  checks: Readonly<Record<string, Check>>,
  timeoutMs = checkTimeoutMs,
): Promise<Record<string, string>> {
  const reasons = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const reason = await failureOf(check, timeoutMs)
      return [name, reason] as const
    }),
  )
  const failed = reasons.filter((entry): entry is [string, string] => entry[1] !== null)
  return Object.fromEntries(failed)
}

async function failureOf(check: Check, timeoutMs: number): Promise<string | null> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs)
  try {
    await Promise.race([Promise.resolve().then(check), timeout])
    return null
  } catch (err) {
    return reasonOf(err)
  } finally {
    clearTimeout(timer)
  }
}
