import { containerChecks } from '../check/container-checks.ts'
import { runTests } from '../check/run-tests.ts'

/**
 * `npm run test:all`: runs what `npm test` leaves out because it takes long or needs more tools.
 * Properties run with more cases.
 */
process.env['TEST_DEPTH'] = 'all'
await runTests(async (run) => {
  const containers = await containerChecks(run.dir, process.env)
  const local = run.noLocal === null
  return {
    first: [run.npm('build')],
    lines: [
      [
        run.check('packages'),
        run.check('docs'),
        run.check('openapi'),
        run.check('recipes'),
        ...run.withTool('promtool', run.check('alerts')),
        ...run.withTool('helm', run.check('helm'), run.jest('deploy', { priority: 10 })),
      ],
      [
        run.jest('integration-all'),
        ...containers.steps,
        run.jest('e2e-all', { needs: ['build'] }),
        ...(local ? [run.jest('faults', { needs: ['build'] })] : []),
      ],
    ],
    said: [
      containers.said,
      local
        ? 'faults and TLS were tested on the local stack'
        : `faults and TLS were not tested; they need the local stack, which cannot run here (${run.noLocal})`,
    ],
  }
})
