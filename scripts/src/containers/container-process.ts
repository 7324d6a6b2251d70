import { writeFile } from 'node:fs/promises'
import { waitUntil } from '@surehook/service-kit/wait-until'
import type { ProcessHandle } from '../lib/processes/managed-process.ts'
import type { Docker } from './docker.ts'

type DockerContainer = ReturnType<Docker['client']['container']['getById']>

export type ContainerProcessOptions = {
  name: string
  container: DockerContainer
  isReady: () => Promise<boolean>
  readyTimeoutMs: number
}

const endingSignals = new Set<NodeJS.Signals>(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGQUIT'])

/** A container with the interface of a local process. SIGSTOP pauses everything in it. */
export class ContainerProcess implements ProcessHandle {
  /** The pid may belong to another machine or namespace, so it is hidden. */
  readonly pid = undefined
  readonly #options: ContainerProcessOptions

  constructor(options: ContainerProcessOptions) {
    this.#options = options
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const { container } = this.#options
    if (!(await this.#state()).Running) return
    if (signal === 'SIGSTOP') return void (await container.pause())
    if (signal === 'SIGCONT') return void (await container.unpause())
    await container.kill({ signal })
    if (endingSignals.has(signal)) await container.wait()
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.#options.container.start()
    await this.untilReady()
  }

  async stop(): Promise<void> {
    const { container } = this.#options
    const { Running: running, Paused: paused } = await this.#state()
    if (!running) return
    if (paused) await container.unpause()
    await container.stop({ t: stopWithinS })
  }

  async untilReady(): Promise<void> {
    const { name, isReady, readyTimeoutMs } = this.#options
    const isThere = async () => {
      if (await isReady()) return true
      if (!(await this.#state()).Running) throw new Error(`${name} ended at start`)
      return false
    }
    try {
      await waitUntil(isThere, {
        what: `${name} to be ready`,
        timeoutMs: readyTimeoutMs,
        everyMs: 100,
      })
    } catch (err) {
      const lines = (await this.#log()).trimEnd().split('\n').slice(-15)
      throw new Error([(err as Error).message, ...lines].join('\n'), { cause: err })
    }
  }

  /** Removes the container with its data. Its log stays in `logFile`. */
  async remove(logFile: string): Promise<void> {
    await writeFile(logFile, await this.#log())
    await this.#options.container.remove({ force: true, v: true })
  }

  async #state() {
    return (await this.#options.container.inspect()).State
  }

  async #log(): Promise<string> {
    const { container } = this.#options
    const frames = await container.logs({ stdout: true, stderr: true })
    return withoutFrames(frames)
  }
}

const stopWithinS = 15

/**
 * Removes the frame headers of Docker's log stream: eight bytes before each piece, the last four
 * with its length.
 */
function withoutFrames(frames: Buffer): string {
  const pieces: Buffer[] = []
  for (let at = 0; at + 8 <= frames.length; ) {
    const length = frames.readUInt32BE(at + 4)
    pieces.push(frames.subarray(at + 8, at + 8 + length))
    at += 8 + length
  }
  return Buffer.concat(pieces).toString()
}
