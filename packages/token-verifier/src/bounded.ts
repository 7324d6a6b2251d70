import { VerifierUnavailableError } from './token-error.ts'

/** Resolves with `work`, or rejects after `ms` milliseconds. It does not cancel `work`. */
export async function boundedBy<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new VerifierUnavailableError(message)), ms)
    // The timer must not keep an idle process alive.
    timer.unref()
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Parses the JSON of a response. Stops reading and rejects after `maxBytes`. */
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
