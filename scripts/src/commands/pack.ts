import { packForInstalling } from '../release/pack-for-installing.ts'
import { say, step } from '../start/progress.ts'

/** `npm run pack`: builds the packages, and writes archives that `npm install` takes. */
try {
  const packed = await step('packages built and packed', packForInstalling)
  for (const { name, file } of packed) say(`${name.padEnd(26)} npm install ${file}`)
} catch (err) {
  console.error(err instanceof Error ? err.message : err)
  process.exitCode = 1
}
