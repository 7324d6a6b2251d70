import type { BrowserContext, Request } from 'playwright-core'

/** Watches the refreshes of all pages of a browser context. */
export class RefreshWatch {
  /** The refresh tokens, as they were sent. */
  readonly tokens: string[] = []
  mostAtOnce = 0
  #running = 0

  constructor(context: BrowserContext) {
    context.on('request', (request) => this.#begin(request))
    context.on('requestfinished', (request) => this.#end(request))
    context.on('requestfailed', (request) => this.#end(request))
  }

  #begin(request: Request): void {
    if (!isRefresh(request)) return
    this.tokens.push((request.postDataJSON() as { refreshToken: string }).refreshToken)
    this.#running++
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#running)
  }

  #end(request: Request): void {
    if (isRefresh(request)) this.#running--
  }
}

export const isRefresh = (request: Request) =>
  request.method() === 'POST' && request.url().endsWith('/auth/refresh-token')
