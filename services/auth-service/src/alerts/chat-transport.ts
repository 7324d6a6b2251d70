import type { GuardedHttps } from '../outbound/guarded-https.ts'

export type ChatPost = {
  url: string
  body: object
  /** Project and environment. */
  tenant: string
}

export type ChatTransport = {
  /** Resolves when the chat has accepted the message. Errors never name the URL. */
  post(post: ChatPost): Promise<void>
}

export class ChatRefusedError extends Error {
  override readonly name = 'ChatRefusedError'
  /** True if the chat will refuse the message again. */
  readonly isFinal: boolean
  constructor(status: number) {
    super(`The chat answered ${status}`)
    this.isFinal = status < 500 && status !== 408 && status !== 429
  }
}

const withinMs = 10_000

export function createChatTransport(https: Pick<GuardedHttps, 'send'>): ChatTransport {
  return {
    async post({ url, body, tenant }) {
      const text = JSON.stringify(body)
      const answer = await https.send({
        ...{ method: 'POST', url, body: text, tenant },
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        },
        signal: AbortSignal.timeout(withinMs),
      })
      // Nobody reads the rest.
      answer.destroy()
      const status = answer.statusCode ?? 0
      if (status < 200 || status > 299) throw new ChatRefusedError(status)
    },
  }
}
