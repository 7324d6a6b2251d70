import { AppError } from '@surehook/service-kit/errors'
import { contextOf } from '@surehook/service-kit/http/request/request-context'
import type { RequestHandler, Router } from 'express'
import { sendFile } from '../stored-file.ts'
import type { ConsoleFiles } from './console-files.ts'

/** The console runs its own scripts and calls its own origin. Nothing else, and nothing inline. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const below = /^\/console(?:\/|$)/

const headers = {
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** The build names these files by their content. */
const isHashed = (name: string) => name.startsWith('assets/')

/** Serves the web console below `/console/`. Without a build, its paths say so with a 404. */
export function mountConsole(router: Router, files: ConsoleFiles | null): void {
  router.get(below, serve(files))
  router.all(below, (_req, res) => {
    res.setHeader('Allow', 'GET, HEAD')
    throw new AppError('METHOD_NOT_ALLOWED', 'This path does not have this method')
  })
}

function serve(files: ConsoleFiles | null): RequestHandler {
  return async (req, res) => {
    contextOf(res).operation = 'console'
    if (req.url === '/console') {
      // The pages' own paths are relative to it.
      res.writeHead(308, { Location: '/console/' }).end()
      return
    }
    if (files === null) throw new AppError('NOT_FOUND', 'The console was not built')
    const name = nameIn(req.url, files)
    const file = files.get(name)
    if (file === undefined) throw new AppError('NOT_FOUND', 'There is nothing at this path')
    const cache = isHashed(name) ? 'public, max-age=31536000, immutable' : 'no-store'
    res.setHeader('Cache-Control', cache)
    for (const [header, value] of Object.entries(headers)) res.setHeader(header, value)
    await sendFile(file, req, res)
  }
}

/** The pages of the console have paths without a file: its router reads them from index.html. */
function nameIn(url: string, files: ConsoleFiles): string {
  const name = url.slice('/console/'.length)
  return files.has(name) || isHashed(name) ? name : 'index.html'
}
