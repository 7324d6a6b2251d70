import { ConnectionError, type LedgerQuery, SurehookError } from '@surehook/client'
import { reasonOf } from '@surehook/service-kit/errors'
import { defineCommand, exitCodes, Failure, UsageError } from '../cli/command.ts'
import { ledgerSpan } from '../ledger/ledger-span.ts'
import { ledgerTable } from '../ledger/ledger-table.ts'
import { given } from '../lib/input/option-values.ts'
import {
  adminClientOf,
  findPlatform,
  type Platform,
  platformOptions,
  platformVariables,
} from '../lib/platform-client.ts'
import { explained } from '../output/explain-error.ts'
import { visible } from '../output/visible.ts'

const { ok: closed, wrong: holes, usage: unknown } = exitCodes

export const ledgerCommand = defineCommand({
  name: 'ledger',
  summary: 'Check that every change of a span is delivered or pending',
  details:
    'Exit code 0: the ledger has no holes. 1: it has holes, listed by event id. 2: it could not be taken.',
  options: {
    from: {
      type: 'string',
      value: 'when',
      default: '1h',
      help: 'start of the span: 90s, 1h or 2d ago, or a time',
    },
    to: { type: 'string', value: 'when', default: 'now', help: 'end of the span' },
    project: { type: 'string', help: 'only this project' },
    environment: { type: 'string', help: 'only this environment' },
    ...platformOptions,
  },
  variables: platformVariables,
  async run({ values, env, json, out, note, now, signal }) {
    const { project, environment } = values
    const query = { ...ledgerSpan(values, now()), ...given({ project, environment }) }
    try {
      const ledger = await ledgerOf(findPlatform(values, env), query, signal)
      out(json ? JSON.stringify(ledger, null, 2) : ledgerTable(ledger).join('\n'))
      if (!ledger.complete) return unknown
      return ledger.closes ? closed : holes
    } catch (err) {
      if (err instanceof UsageError) throw err
      note(reasonOf(err))
      return unknown
    }
  },
})

async function ledgerOf(platform: Platform, query: LedgerQuery, signal: AbortSignal) {
  try {
    return await adminClientOf(platform).admin.installation.ledger(query, { signal })
  } catch (err) {
    const isRefused = err instanceof SurehookError && !(err instanceof ConnectionError)
    // One line, which scripts search for the fault.
    if (isRefused) throw new Failure(visible(`${err.code}: ${err.message}`))
    throw explained(err, platform.baseUrl)
  }
}
