import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '@surehook/service-kit/backoff'
import { boundedBy } from '@surehook/service-kit/bounded'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import { reasonOf } from '@surehook/service-kit/errors'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { fromZero, type Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Pool } from 'pg'
import { noteAlertOutcome } from '../alerts/alert-failures.ts'
import { ChatRefusedError } from '../alerts/chat-transport.ts'
import { type AlertSenderDeps, sendAlert } from '../alerts/send-alert.ts'
import { fullSettings } from '../platform/auth-settings.ts'
import {
  isRefusedForGood,
  longestSendMs,
  type MailTransport,
  mailConnections,
} from './mail-transport.ts'
import {
  claimMails,
  deleteMail,
  firstTurn,
  isAlert,
  type MailTenant,
  mailContext,
  postponeMail,
  type QueuedMail,
} from './outbox.ts'
import { type MailAddress, renderMail } from './render-mail.ts'

export type MailSenderOptions = Pick<AlertSenderDeps, 'chats' | 'publicUrl'> & {
  pool: Pool
  box: SecretBox
  transport: Pick<MailTransport, 'send'>
  /** The sender for environments that set none. */
  from: MailAddress
  log: Logger
  metrics: Metrics
}

export type MailSender = AsyncDisposable & {
  /**
   * Call it after a mail was put into the outbox, so that the mail is sent at once and not at the
   * next poll.
   */
  wake(): void
}

/** Polling finds the mails that another process left behind. */
const pollMs = 1_000
const backoff = { firstMs: 1_000, longestMs: 60_000 }
const leaseMs = 2 * longestSendMs
/**
 * One tenant gets at most half of the connections, so that slow mails of one do not block the
 * others.
 */
const connectionsPerTenant = mailConnections / 2

/** Sends the mails of the outbox while their codes are valid. No request waits for it. */
export function openMailSender(options: MailSenderOptions): MailSender {
  return new OutboxSender(options)
}

class OutboxSender implements MailSender {
  readonly #options: MailSenderOptions
  readonly #stop = new AbortController()
  readonly #mails: ReturnType<typeof mailMeter>
  readonly #sending = new Map<Promise<void>, MailTenant>()
  readonly #done: Promise<void>
  #wake = Promise.withResolvers<void>()
  #lastServed = firstTurn

  constructor(options: MailSenderOptions) {
    this.#options = options
    this.#mails = mailMeter(options.metrics)
    this.#done = this.#run()
  }

  wake(): void {
    this.#wake.resolve()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.wake()
    await this.#done
    await Promise.all(this.#sending.keys())
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#wake = Promise.withResolvers()
      const more = await this.#sendDue()
      if (!more) await this.#pause()
    }
  }

  /** Resolves to true if more mails may be due. */
  async #sendDue(): Promise<boolean> {
    const { pool, log } = this.#options
    const limit = mailConnections - this.#sending.size
    if (limit === 0) return false
    const after = this.#lastServed
    try {
      const mails = await claimMails(pool, { limit, leaseMs, after, except: this.#busyTenants() })
      for (const mail of mails) this.#start(mail)
      const isRoundOver = mails.length < limit
      this.#lastServed = (isRoundOver ? undefined : mails.at(-1)) ?? firstTurn
      return mails.length > 0 || after !== firstTurn
    } catch (err) {
      log.warn({ reason: reasonOf(err) }, 'mail.outbox.unreachable')
      return false
    }
  }

  #busyTenants(): MailTenant[] {
    const byTenant = Map.groupBy(
      this.#sending.values(),
      ({ projectId, environment }) => `${projectId}/${environment}`,
    )
    return [...byTenant.values()].flatMap(([tenant, ...others]) =>
      tenant !== undefined && 1 + others.length >= connectionsPerTenant ? [tenant] : [],
    )
  }

  #start(mail: QueuedMail): void {
    const { log } = this.#options
    const sending = this.#handle(mail)
      .catch((err: unknown) => {
        // The outbox could not be updated: the mail becomes due again when its lease ends.
        log.warn({ mailId: mail.id, reason: reasonOf(err) }, 'mail.outbox.unreachable')
      })
      .finally(() => {
        this.#sending.delete(sending)
        this.wake()
      })
    this.#sending.set(sending, mail)
  }

  async #handle(mail: QueuedMail): Promise<void> {
    const { pool, log } = this.#options
    const { id: mailId, template, attempts } = mail
    if (mail.expiresAt.getTime() <= Date.now()) {
      log.warn({ mailId, template, attempts }, 'mail.expired')
      return this.#end(mail, 'expired', 'No attempt succeeded in time')
    }
    try {
      await this.#send(mail)
    } catch (err) {
      const reason = reasonOf(err)
      const lost = err instanceof UnreadableCodeError
      if (lost || isRefusedForGood(err) || (err instanceof ChatRefusedError && err.isFinal)) {
        log[lost ? 'error' : 'warn']({ mailId, template, attempts, reason }, 'mail.refused')
        return this.#end(mail, 'refused', reason)
      }
      this.#mails.inc({ outcome: 'failed' })
      const retryInMs = backoffMs(attempts, backoff)
      log.warn({ mailId, template, attempts, reason, retryInMs }, 'mail.failed')
      return postponeMail(pool, mailId, retryInMs)
    }
    log.info({ mailId, template, attempts }, 'mail.sent')
    return this.#end(mail, 'sent')
  }

  /** @param failure why it was given up; absent if it was sent */
  async #end(mail: QueuedMail, outcome: Outcome, failure?: string): Promise<void> {
    this.#mails.inc({ outcome })
    const { pool } = this.#options
    if (isAlert(mail.template)) await noteAlertOutcome(pool, mail, failure)
    await deleteMail(pool, mail.id)
  }

  async #send(mail: QueuedMail): Promise<void> {
    await boundedBy(longestSendMs, this.#sendTo(mail), 'The mail server takes too long')
  }

  #sendTo(mail: QueuedMail): Promise<void> {
    const { id, template, recipient: to, locale } = mail
    const { transport, from } = this.#options
    const code = this.#open(mail.sealedCode, id)
    if (isAlert(template)) return sendAlert(this.#options, mail, JSON.parse(code))
    const validMs = mail.expiresAt.getTime() - Date.now()
    const content = { template, to, code, locale, validMs }
    return transport.send(id, renderMail(content, fullSettings(mail.overrides).mail, from))
  }

  #open(sealedCode: string, id: string): string {
    try {
      return this.#options.box.open(sealedCode, mailContext(id))
    } catch (err) {
      throw new UnreadableCodeError('Sealed under another key', { cause: err })
    }
  }

  async #pause(): Promise<void> {
    const poll = new AbortController()
    const timeout = sleep(pollMs, undefined, { signal: poll.signal }).catch(() => undefined)
    await Promise.race([this.#wake.promise, timeout])
    poll.abort()
  }
}

class UnreadableCodeError extends Error {
  override readonly name = 'UnreadableCodeError'
}

type Outcome = 'sent' | 'refused' | 'expired'

function mailMeter(metrics: Metrics) {
  return fromZero(
    metrics.counter({
      name: 'surehook_auth_mails_total',
      help: 'Attempts to send a mail or an alert. Refused and expired ones are given up',
      labelNames: ['outcome'],
    }),
    'outcome',
    ['sent', 'failed', 'refused', 'expired'],
  )
}
