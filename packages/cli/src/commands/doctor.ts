import { defineCommand, exitCodes, UsageError } from '../cli/command.ts'
import { countOf, reportOf } from '../doctor/report.ts'
import { runChecks } from '../doctor/run-checks.ts'
import { findTarget } from '../doctor/target.ts'
import { platformOptions } from '../lib/platform-client.ts'

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Examine an installation, and say what to do about what is wrong',
  details: [
    'Examines what the environment or --env-file names by the variables of the services; without any, the system that',
    '`npm start` runs. Changes nothing. Exit code 1 when something is wrong; what only deserves a look does not count.',
  ].join('\n'),
  options: {
    'env-file': { type: 'string', value: 'file', help: 'variables, NAME=value on each line' },
    service: {
      type: 'string',
      value: 'name',
      multiple: true,
      help: 'whose variables these are: whether it would start; of a file all by default',
    },
    url: platformOptions.url,
    'lag-limit': {
      type: 'string',
      value: 'messages',
      default: '10000',
      help: 'more deserve a look',
    },
    'certificate-days': {
      type: 'string',
      value: 'days',
      default: '30',
      help: 'fewer left deserve a look',
    },
  },
  variables: { SUREHOOK_URL: 'of the gateway', 'all others': 'as the services read them' },
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
