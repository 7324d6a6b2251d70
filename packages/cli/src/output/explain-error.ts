import { ConnectionError, SurehookError } from '@surehook/client'
import { reasonOf } from '@surehook/service-kit/errors'
import { Failure, Unreachable } from '../cli/command.ts'
import { causeOf } from '../lib/cause-of.ts'
import { visible } from '../output/visible.ts'

/**
 * Turns an error of the client into a `Failure` that names each field and the request. Returns any
 * other error as it is.
 */
export function explained(err: unknown, baseUrl: string): unknown {
  if (!(err instanceof SurehookError)) return err
  const { code, status, requestId, violations } = err
  const request = requestId === undefined ? [] : [visible(`  request ${requestId}`)]
  const facts = { error: code, status, requestId, violations }
  if (err instanceof ConnectionError) {
    const why = err.cause === undefined ? 'no answer in time' : reasonOf(causeOf(err.cause))
    const line = visible(`${baseUrl} cannot be reached: ${why}`)
    return new Unreachable([line, ...request].join('\n'), facts)
  }
  const lines = [
    visible(`${status === undefined ? '' : `${status} `}${code}: ${sentenceOf(err)}`),
    ...violations.map(({ field, message }) => visible(`  ${field}: ${message}`)),
    ...request,
  ]
  return new Failure(lines.join('\n'), facts)
}

/**
 * The same for commands of operators. They end with 1 also without an answer, and `message` of
 * their `--json` is the sentence of the API.
 */
export function explainedToOperator(err: unknown, baseUrl: string): unknown {
  const failure = explained(err, baseUrl)
  if (!(err instanceof SurehookError && failure instanceof Failure)) return failure
  if (failure instanceof Unreachable) return new Failure(failure.message)
  const { lockedUntil, violations } = err
  return new Failure(failure.message, {
    ...failure.facts,
    message: sentenceOf(err),
    violations: violations.length === 0 ? undefined : violations,
    lockedUntil,
  })
}

/** Rejects with a `Failure` that explains an error of the client. */
export async function explaining<T>(baseUrl: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (err) {
    throw explained(err, baseUrl)
  }
}

/** The client appends the violations, the status and the request. They have lines of their own. */
function sentenceOf({ message, violations }: SurehookError): string {
  const sentence = message.replace(/ \([^()]*request [^()]*\)$/, '')
  const [first] = violations
  return first === undefined ? sentence : sentence.split(`: ${first.field} `)[0] || sentence
}
