import { parentPort } from 'node:worker_threads'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common'
import { dictionary as english } from '@zxcvbn-ts/language-en'

/** Later characters can only make a password stronger, and each one costs time. */
const maxLength = 64
/**
 * With the library's default of 100, a password of digits and signs takes half a second. With 10 it
 * takes a tenth of that.
 */
const l33tMaxSubstitutions = 10

export type StrengthQuestion = {
  id: number
  password: string
  /** Words that are easy to guess for this user, such as the names. */
  about: readonly string[]
}

export type StrengthAnswer = { id: number; score: number }

const zxcvbn = new ZxcvbnFactory({
  dictionary: { ...common, ...english },
  graphs: adjacencyGraphs,
  maxLength,
  l33tMaxSubstitutions,
})

parentPort?.on('message', ({ id, password, about }: StrengthQuestion) => {
  const { score } = zxcvbn.check(password.slice(0, maxLength), [...about])
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage({ id, score } satisfies StrengthAnswer)
})
