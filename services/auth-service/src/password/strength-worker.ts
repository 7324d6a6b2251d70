import { parentPort } from 'node:worker_threads'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common'
import { dictionary as english } from '@zxcvbn-ts/language-en'

/** What is further in can only make a password stronger; each character more costs time. */
const maxLength = 64
/** With the library's 100 a password of digits and signs takes half a second; with 10 a tenth of that. */
const l33tMaxSubstitutions = 10

export type StrengthQuestion = {
  id: number
  password: string
  /** What the password's owner is known by: words that are easy to guess for this password. */
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
