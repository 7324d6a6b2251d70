import { checkLintCanary } from '../check/lint-canary.ts'
import { runTests } from '../check/run-tests.ts'
import { hasPromtool } from '../deploy/find-promtool.ts'
import { hasHelm, hasKubeScore } from '../deploy/helm-tools.ts'

/**
 * `npm test`: static checks, unit and integration tests, and end-to-end tests of every capability.
 * `npm run test:all` runs what takes longer.
 */
await runTests(async (run) => ({
  // Generated files are written again: no test may read them meanwhile.
  first: [run.npm('build'), run.check('generated')],
  lines: [
    [
      run.check('format'),
      run.check('types'),
      run.check('lint'),
      { name: 'lint canary', run: checkLintCanary },
      run.check('boundaries'),
      run.check('dead-code'),
      run.check('migrations'),
      run.check('schemas'),
      run.jest('unit', { priority: 10 }),
      // Only test:all builds these tools.
      ...(hasPromtool() ? [run.check('alerts')] : []),
      ...(hasHelm() ? [run.jest('deploy', { priority: 10 })] : []),
      ...(hasHelm() && hasKubeScore() ? [run.check('helm')] : []),
    ],
    // One after the other: side by side they take as long, and a busy machine breaks some of them.
    [run.jest('integration'), run.jest('e2e', { needs: ['build'] })],
  ],
  said: [],
}))
