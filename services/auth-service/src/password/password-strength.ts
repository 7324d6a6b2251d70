import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { boundedBy } from '@surehook/service-kit/bounded'
import { unavailable } from '@surehook/service-kit/errors'
import type { StrengthAnswer, StrengthQuestion } from './strength-worker.ts'

export type PasswordStrength = AsyncDisposable & {
  /**
   * Scores how hard the password is to guess, by zxcvbn: 0 (too guessable) to 4 (very unguessable).
   * Rejects with SERVICE_UNAVAILABLE if the worker does not answer.
   */
  score(question: Omit<StrengthQuestion, 'id'>): Promise<number>
}

// When this runs from TypeScript source, so does the worker.
const workerFile = new URL(`./strength-worker${extname(import.meta.url)}`, import.meta.url)

/**
 * Scores in a worker thread, because a score costs up to 50 ms of CPU. The thread starts with the
 * first score, which loads the dictionaries and takes about half a second.
 */
export function createPasswordStrength({ maxWaitMs = 10_000 } = {}): PasswordStrength {
  let thread: StrengthThread | null = null
  let lastId = 0
  return {
    score(question) {
      thread ??= startThread((ended) => {
        if (thread === ended) thread = null
      })
      return boundedBy(maxWaitMs, thread.ask({ ...question, id: ++lastId }), 'password strength')
    },
    async [Symbol.asyncDispose]() {
      await thread?.end()
    },
  }
}

type StrengthThread = {
  ask(question: StrengthQuestion): Promise<number>
  end(): Promise<unknown>
}

function startThread(onEnd: (ended: StrengthThread) => void): StrengthThread {
  const worker = new Worker(workerFile)
  worker.unref()
  const waiting = new Map<number, PromiseWithResolvers<number>>()
  const fail = (cause?: unknown) => {
    onEnd(started)
    for (const { reject } of waiting.values()) reject(unavailable('password strength', cause))
    waiting.clear()
  }
  worker.on('message', ({ id, score }: StrengthAnswer) => {
    waiting.get(id)?.resolve(score)
    waiting.delete(id)
  })
  worker.on('error', fail)
  worker.on('exit', () => fail())
  const started: StrengthThread = {
    ask(question) {
      const answer = Promise.withResolvers<number>()
      waiting.set(question.id, answer)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(question)
      return answer.promise
    },
    end: () => worker.terminate(),
  }
  return started
}
