import { spawnSync } from 'node:child_process'

/** Prometheus' own tool: https://prometheus.io/download/ */
export const hasPromtool = (): boolean =>
  spawnSync('promtool', ['--version'], { stdio: 'ignore' }).status === 0
