import { VerifierUnavailableError } from './token-error.ts'

/** `work`, or a rejection when it takes longer. It is not cancelled. */
export async function boundedBy<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new VerifierUnavailableError(message)), ms)
    // A process that has nothing else to do need not stay for it.
    timer.unref()
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The JSON of an answer that is not larger than `maxBytes`; what is larger is not read on. */
export async function boundedJson(response: Response, maxBytes: number): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > maxBytes) throw new Error(`The answer has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}
