import { parseArgs } from 'node:util'
import { localDir, repoRoot } from '@surehook/scripts/lib/paths'
import { type ServiceName, serviceNames } from '@surehook/scripts/system/service-catalog'
import { build, checkOut } from '@surehook/scripts/versions/check-out'
import { firstVersion, releases } from '@surehook/scripts/versions/releases'
import { emptyDir } from '../../faults/suite/empty-dir.ts'
import { describeOutcome } from '../../faults/suite/report.ts'
import { runUnderLoad } from '../../faults/suite/run-trial.ts'
import { replicaName } from '../../faults/suite/stage/links.ts'
import { openStage } from '../../faults/suite/stage/stage.ts'
import { indented, operatorEnv, surehook } from '../support/surehook.ts'
import { useNewerFeatures } from './newer-features.ts'
import { roll } from './roll.ts'
import { openReplicaVersions } from './versions.ts'

/**
 * `npm run rehearse -- upgrade`: upgrades a loaded system from an older version, replica by
 * replica, and back. Exits with 1 if anything is lost, repeated or refused.
 */
const usage = `npm run rehearse -- upgrade [--from <commit>] [--back webhook-dispatcher,data-api] [--dir .local/upgrade]
--from: the newest release; --back: services that return to it, "all" or "none"`

const load = {
  writers: { rest: 4, graphql: 2, topic: 2, http: 0 },
  pauseMs: 100,
  leadS: 3,
  mayRepeat: 0,
}
const twoOfEach = Object.fromEntries(serviceNames.map((name) => [name, 2])) as Record<
  ServiceName,
  number
>

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    back: { type: 'string', default: 'all' },
    dir: { type: 'string', default: `${localDir}/upgrade` },
    help: { type: 'boolean', default: false },
  },
})

const say = (line: string) => void process.stdout.write(`${line}\n`)

const from = values.from ?? releases()[0]

if (values.help) say(usage)
else if (from === undefined) {
  say(`no release from ${firstVersion} on: name a commit to upgrade from\n${usage}`)
} else process.exitCode = (await rehearse(from)) ? 0 : 1

async function rehearse(commit: string): Promise<boolean> {
  const back = servicesOf(values.back)
  const older = await checkOut(commit)
  const newer = { name: 'this checkout', dir: repoRoot }
  say(`from ${older.name}\nto   ${newer.name}`)
  for (const version of [older, newer]) await build(version)
  const dir = await emptyDir(values.dir)
  const replicas = serviceNames.flatMap((name) => [0, 1].map((place) => replicaName(name, place)))
  const versions = await openReplicaVersions(`${dir}/versions`, replicas, older)
  await using stage = await openStage(dir, {
    replicas: twoOfEach,
    versions: {
      ...versions,
      prepareDatabase: async (env) =>
        void (await surehook(['prepare', 'database'], env, older.dir)),
    },
  })
  say('the older version runs, two replicas of each service')
  const rolling = { stage, versions, say }
  const wrong: string[] = []
  const outcome = await runUnderLoad(load, stage, async () => {
    const env = operatorEnv(stage)
    for (const what of ['database', 'topics']) say(indented(await surehook(['prepare', what], env)))
    for (const service of serviceNames) await roll(rolling, service, newer)
    const features = await useNewerFeatures(stage)
    say(`all services are new; back again: ${back.join(', ') || 'none'}`)
    for (const service of back) {
      await roll(rolling, service, older)
      wrong.push(...(await features.whileMixed()))
    }
    for (const service of back) await roll(rolling, service, newer)
    wrong.push(...(await features.afterwards()))
  })
  const { unanswered, faults } = outcome
  say(describeOutcome(outcome))
  if (unanswered > 0) say(`     FAILED: ${unanswered} requests had no answer, or 503`)
  for (const fault of wrong) say(`     FAILED: ${fault}`)
  const isGood = faults.length + unanswered + wrong.length === 0
  say(isGood ? 'the ledger closes: nothing lost, repeated or refused' : 'FAILED')
  return isGood
}

function servicesOf(text: string): readonly ServiceName[] {
  if (text === 'none') return []
  if (text === 'all') return serviceNames
  return text.split(',').map((given) => {
    const found = serviceNames.find((name) => name === given)
    if (found === undefined) throw new Error(`--back: there is no "${given}"\n${usage}`)
    return found
  })
}
