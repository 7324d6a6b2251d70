import { runCommand } from './check/run-command.ts'
import { hasPromtool } from './lib/promtool.ts'

/** Runs the alert rules against series, where Prometheus' own tool is installed. */
const rules = 'deploy/prometheus/alerts.yml'
const ofSeries = 'deploy/prometheus/alerts.test.yml'

if (hasPromtool()) {
  for (const args of [
    ['promtool', 'check', 'rules', rules],
    ['promtool', 'test', 'rules', ofSeries],
  ]) {
    const { ok, output } = await runCommand({ args })
    if (ok) continue
    console.error(output)
    process.exitCode = 1
  }
} else console.log('promtool is not here: the alert rules were not run')
