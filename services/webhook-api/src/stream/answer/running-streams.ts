import { OutOfLogError } from '@surehook/kafka/readers/log-fetcher'
import { type EndReason, StreamEnded } from './stream-ended.ts'

type Running = { isAdmitted: () => boolean; abort: AbortController }

/**
 * The interval of checks: a revoked or expired token and a deleted environment end their streams
 * within this time.
 */
const lookEveryMs = 250

/** Keeps the open streams and pages, and ends them. */
export class RunningStreams implements Disposable {
  readonly #running = new Set<Running>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  get closed(): boolean {
    return this.#closed
  }

  /**
   * Runs `work` until it is done or the stream ends. Resolves with `null` if the work is done, else
   * with the reason.
   * @param isAdmitted tells whether the caller may still read
   * @param others signals that also end the stream, each with its reason
   */
  async run(
    work: (signal: AbortSignal) => Promise<unknown>,
    isAdmitted: () => boolean,
    others: readonly { signal: AbortSignal; reason: EndReason }[],
  ): Promise<{ reason: EndReason; err: unknown } | null> {
    const abort = new AbortController()
    const running = { isAdmitted, abort }
    const endings = others.map(({ signal, reason }) => {
      const end = () => abort.abort(new StreamEnded(reason))
      if (signal.aborted) end()
      else signal.addEventListener('abort', end, { once: true })
      return () => signal.removeEventListener('abort', end)
    })
    this.#add(running)
    try {
      await work(abort.signal)
      return null
    } catch (err) {
      return { reason: reasonOf(err), err }
    } finally {
      this.#remove(running)
      for (const forget of endings) forget()
    }
  }

  /** Ends all streams, so that their clients reconnect to another replica. */
  [Symbol.dispose](): void {
    this.#closed = true
    for (const { abort } of this.#running) abort.abort(new StreamEnded('shutdown'))
  }

  #add(running: Running): void {
    this.#running.add(running)
    if (this.#closed) running.abort.abort(new StreamEnded('shutdown'))
    this.#timer ??= setInterval(() => this.#look(), lookEveryMs)
  }

  #remove(running: Running): void {
    this.#running.delete(running)
    if (this.#running.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #look(): void {
    for (const { isAdmitted, abort } of this.#running) {
      if (!isAdmitted()) abort.abort(new StreamEnded('access'))
    }
  }
}

function reasonOf(err: unknown): EndReason {
  if (err instanceof StreamEnded) return err.reason
  return err instanceof OutOfLogError ? 'expired' : 'failed'
}
