import { goTool, onPath } from './go-tool.ts'

/** Prometheus' own tool, https://prometheus.io/download/: the machine's own, or one that is built here. */
export async function findPromtool(): Promise<string> {
  if (onPath('promtool', ['--version'], /^promtool/)) return 'promtool'
  return goTool({
    name: 'promtool',
    package: 'github.com/prometheus/prometheus/cmd/promtool',
    version: 'v0.316.0',
    ldflags: '-s -w',
    // Of all the ways to find targets the one that prometheus.yml uses: the others bring most of what is to be built.
    tags: 'remove_all_sd,enable_dns_sd',
  })
}
