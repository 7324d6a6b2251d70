import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { AppError } from '@surehook/service-kit/errors'
import { type Check, failedChecks } from '@surehook/service-kit/http/internal-server'
import { sendJson } from '@surehook/service-kit/http/problem'
import type { RequestHandler, Router } from 'express'
import { sendFile, storedFile } from './stored-file.ts'

const require = createRequire(import.meta.url)
const documents = {
  admin: require.resolve('@surehook/contracts/openapi/admin.json'),
  auth: require.resolve('@surehook/contracts/openapi/auth.json'),
  data: require.resolve('@surehook/contracts/openapi/data.json'),
  sources: require.resolve('@surehook/contracts/openapi/sources.json'),
  webhooks: require.resolve('@surehook/contracts/openapi/webhooks.json'),
}

/** Mounts the routes that the gateway answers itself. */
export function mountLocalRoutes(router: Router, checks: Readonly<Record<string, Check>>): void {
  const answers: Readonly<Record<string, RequestHandler>> = {
    '/healthz': (_req, res) => sendJson(res, 200, '{"status":"ok"}'),
    '/readyz': async (_req, res) => {
      const failed = await failedChecks(checks)
      const ready = Object.keys(failed).length === 0
      // The reasons contain internal addresses, so only the internal port shows them.
      const body = ready ? { status: 'ok' } : { status: 'unavailable', failed: Object.keys(failed) }
      sendJson(res, ready ? 200 : 503, JSON.stringify(body))
    },
    ...Object.fromEntries(
      Object.entries(documents).map(([name, file]) => [`/openapi/${name}.json`, openApi(file)]),
    ),
  }
  for (const [path, answer] of Object.entries(answers)) {
    router.get(path, answer)
    router.all(path, (_req, res) => {
      res.setHeader('Allow', 'GET, HEAD')
      throw new AppError('METHOD_NOT_ALLOWED', 'This path does not have this method')
    })
  }
}

/** A document compresses to a twentieth. */
function openApi(path: string): RequestHandler {
  const file = storedFile('application/json; charset=utf-8', readFileSync(path))
  return async (req, res) => {
    res.setHeader('Cache-Control', 'public, max-age=300')
    await sendFile(file, req, res)
  }
}
