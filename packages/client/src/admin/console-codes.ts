import type {
  ConsoleCode,
  ConsoleSession,
  CreateConsoleCodeData,
  RedeemConsoleCodeData,
} from '../generated/admin/types.gen.ts'
import type { RequestOptions } from '../transport/operation.ts'
import type { Transport } from '../transport/transport.ts'

export type ConsolePlace = CreateConsoleCodeData['body']

const url = '/auth/console-codes'

/** One-time codes that open the web console signed in with the client's token. */
export class ConsoleCodes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** A management token names its project, the administration token none. */
  create(place: ConsolePlace, options?: RequestOptions): Promise<ConsoleCode> {
    return this.#transport.send<CreateConsoleCodeData, ConsoleCode>(
      { method: 'POST', url, body: place, repeat: 'safe' },
      options,
    )
  }

  /** Exchanges the code for a session. A code works once, and needs no token. */
  redeem(code: string, options?: RequestOptions): Promise<ConsoleSession> {
    return this.#transport.send<RedeemConsoleCodeData, ConsoleSession>(
      { method: 'POST', url: `${url}/redeem`, body: { code }, repeat: 'once', isPublic: true },
      options,
    )
  }
}
