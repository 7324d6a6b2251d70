import { SurehookError } from '../errors.ts'
import type { ResealKeysData, ResealKeysResponse } from '../generated/admin/types.gen.ts'
import type {
  GetHistoryRebuildData,
  GetHistoryRebuildResponse,
  GetInstallationHealthData,
  GetLedgerData,
  HistoryRebuild,
  InstallationHealth,
  Ledger,
  ListRunningJobsData,
  Problem,
  RebuildHistoryData,
  ResealedPage,
  ResealSecretsData,
  RunningJobs,
} from '../generated/webhooks/types.gen.ts'
import type { Query, RequestOptions } from '../transport/operation.ts'
import type { Transport } from '../transport/transport.ts'

export type LedgerQuery = Query<GetLedgerData>

/** The server gives up after 10 minutes, and says so. */
const ledgerMs = 11 * 60_000
const isAdmin = true

/** The whole installation. */
export class Installation {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** What webhook-api sees of the dependencies and the other services. */
  health(options?: RequestOptions): Promise<InstallationHealth> {
    return this.#transport.send<GetInstallationHealthData, InstallationHealth>(
      { method: 'GET', url: '/api/rest/_webhooks/_health', repeat: 'safe', isAdmin },
      options,
    )
  }

  /** Replays and recoveries that run now, and the newest rebuild of the history. */
  jobs(options?: RequestOptions): Promise<RunningJobs> {
    return this.#transport.send<ListRunningJobsData, RunningJobs>(
      { method: 'GET', url: '/api/rest/_webhooks/_jobs', repeat: 'safe', isAdmin },
      options,
    )
  }

  /** Takes a ledger. It reads the topics, which may take minutes. Abort the signal to stop it. */
  async ledger(query: LedgerQuery, options: RequestOptions = {}): Promise<Ledger> {
    const answer = await this.#transport.send<GetLedgerData, Ledger | Problem>(
      { method: 'GET', url: '/api/rest/_webhooks/_ledger', query, repeat: 'once', isAdmin },
      { timeout: ledgerMs, ...options },
    )
    if (!('error' in answer)) return answer
    // The answer began as a success, to keep the connection open, before the reading failed.
    const { error: code, message = code, violations } = answer
    throw new SurehookError(message, { code, violations })
  }

  /** Empties the delivery history and reads it again. Resolves with the rebuild that runs. */
  rebuildHistory(options?: RequestOptions): Promise<HistoryRebuild> {
    return this.#transport.send<RebuildHistoryData, HistoryRebuild>(
      { method: 'POST', url: '/api/rest/_webhooks/_history/rebuild', repeat: 'safe', isAdmin },
      options,
    )
  }

  /**
   * Encrypts one page of private keys and mailed codes again, if a previous `KEY_ENCRYPTION_KEY`
   * encrypted them. Pass `next` of the answer as `after` until it is null.
   */
  reEncryptKeys(
    query: Query<ResealKeysData> = {},
    options?: RequestOptions,
  ): Promise<ResealKeysResponse> {
    return this.#transport.send<ResealKeysData, ResealKeysResponse>(
      { method: 'POST', url: '/auth/admin/reseal', query, repeat: 'safe' },
      options,
    )
  }

  /** The same for the signing secrets of all subscriptions. */
  reEncryptSecrets(
    query: Query<ResealSecretsData> = {},
    options?: RequestOptions,
  ): Promise<ResealedPage> {
    return this.#transport.send<ResealSecretsData, ResealedPage>(
      { method: 'POST', url: '/api/rest/_webhooks/_reseal', query, repeat: 'safe', isAdmin },
      options,
    )
  }

  /** The newest rebuild; `null` before the first one. */
  getRebuild(options?: RequestOptions): Promise<GetHistoryRebuildResponse> {
    return this.#transport.send<GetHistoryRebuildData, GetHistoryRebuildResponse>(
      { method: 'GET', url: '/api/rest/_webhooks/_history/rebuild', repeat: 'safe', isAdmin },
      options,
    )
  }
}
