import { findPromtool } from '../../deploy/find-promtool.ts'
import { runCommand } from '../../lib/run-command.ts'

/**
 * Checks Prometheus' configuration with its own parser, and runs the alert rules against test
 * series.
 */
const dir = 'deploy/prometheus'

const promtool = await findPromtool()
for (const args of [
  ['check', 'config', `${dir}/prometheus.yml`],
  ['test', 'rules', `${dir}/alerts.test.yml`, `${dir}/alerts-of-days.test.yml`],
]) {
  const { ok, output } = await runCommand({ args: [promtool, ...args] })
  if (ok) continue
  console.error(output)
  process.exitCode = 1
}
