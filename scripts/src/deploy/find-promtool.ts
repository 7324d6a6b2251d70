import { goTool, onPath } from './go-tool.ts'

/** Returns whether Prometheus' own tool (https://prometheus.io/download/) is on the path. */
export const hasPromtool = (): boolean => onPath('promtool', ['--version'], /^promtool/)

/** Finds promtool on this machine, or builds it. */
export async function findPromtool(): Promise<string> {
  if (hasPromtool()) return 'promtool'
  return goTool({
    name: 'promtool',
    package: 'github.com/prometheus/prometheus/cmd/promtool',
    version: 'v0.316.0',
    // Builds only the service discovery that prometheus.yml uses, because the others are most of
    // the build.
    tags: 'remove_all_sd,enable_dns_sd',
  })
}
