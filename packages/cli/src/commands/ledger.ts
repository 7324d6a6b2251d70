import { reasonOf } from '@surehook/service-kit/errors'
import { defineCommand, exitCodes, UsageError } from '../cli/command.ts'
import { askLedger } from '../ledger/ask-ledger.ts'
import { ledgerSpan } from '../ledger/ledger-span.ts'
import { ledgerTable } from '../ledger/ledger-table.ts'
import { findPlatform, platformOptions, platformVariables } from '../lib/platform-client.ts'

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
    const question = { ...ledgerSpan(values, now()), project, environment }
    try {
      const ledger = await askLedger(findPlatform(values, env), question, signal)
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
