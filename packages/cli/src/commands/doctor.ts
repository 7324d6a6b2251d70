import { lagWarning } from '@surehook/diagnosis/kafka/judge-groups'
import { defineCommand, exitCodes, UsageError } from '../cli/command.ts'
import { countOf, reportOf } from '../doctor/report.ts'
import { runChecks } from '../doctor/run-checks.ts'
import { findTarget } from '../doctor/target.ts'
import { platformOptions } from '../lib/platform-client.ts'

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Check an installation, and say how to repair it',
  details: [
    'The command reads the variables of the services from the environment or from --env-file. Without them it checks the',
    'system that `npm start` runs. It changes nothing. Exit code 1: something is wrong. Warnings do not count.',
  ].join('\n'),
  options: {
    'env-file': { type: 'string', value: 'file', help: 'variables, one NAME=value per line' },
    service: {
      type: 'string',
      value: 'name',
      multiple: true,
      help: 'check the variables of this service',
    },
    url: platformOptions.url,
    'lag-limit': {
      type: 'string',
      value: 'messages',
      default: String(lagWarning),
      help: 'lag that gives a warning',
    },
    'certificate-days': {
      type: 'string',
      value: 'days',
      default: '30',
      help: 'days before the end of a certificate that give a warning',
    },
  },
  variables: {
    SUREHOOK_URL: 'the URL of the gateway',
    'all others': 'the variables of the services',
  },
  async run({ values, env, json, out, note, signal, now }) {
    const target = findTarget(values, { env, note, signal, now })
    const findings = await runChecks(target, {
      lag: numberOf('lag-limit', values['lag-limit']),
      certificateDays: numberOf('certificate-days', values['certificate-days']),
    })
    const wrong = countOf(findings, 'wrong')
    if (json) out(JSON.stringify({ wrong, findings }, null, 2))
    else for (const line of reportOf(findings)) out(line)
    return wrong > 0 ? exitCodes.wrong : exitCodes.ok
  },
})

function numberOf(option: string, text: string): number {
  const number = Number(text)
  if (Number.isFinite(number) && number >= 0) return number
  throw new UsageError(`--${option}: a number, not "${text}"`)
}
