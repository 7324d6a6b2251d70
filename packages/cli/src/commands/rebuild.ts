import { setTimeout as sleep } from 'node:timers/promises'
import {
  getHistoryRebuild,
  type HistoryRebuild,
  rebuildHistory,
} from '@surehook/contracts/http/webhooks/rebuild'
import { callOperation } from '../admin/call-operation.ts'
import { defineCommand, exitCodes } from '../cli/command.ts'
import { findPlatform, platformOptions, platformVariables } from '../lib/platform-client.ts'

const lookEveryMs = 1_000

export const rebuildHistoryCommand = defineCommand({
  name: 'rebuild history',
  summary: 'Empty the delivery history and read it again from its topics',
  details: [
    'Deliveries continue, and new ones show at once. Recoveries wait. webhook-api does the work: it continues when',
    'this command ends. If a rebuild is running, the command shows that rebuild.',
  ].join('\n'),
  options: { detach: { type: 'boolean', help: 'do not wait for the end' }, ...platformOptions },
  variables: platformVariables,
  async run({ values, env, json, out, note, signal }) {
    const found = findPlatform(values, env)
    const platform = { ...found, baseUrl: `${found.baseUrl}/gw` }
    let rebuild: HistoryRebuild = await callOperation(platform, rebuildHistory, {})
    const { id } = rebuild
    while (!values.detach && rebuild.id === id && rebuild.state === 'running') {
      note(progress(rebuild))
      await sleep(lookEveryMs, undefined, { signal })
      rebuild = (await callOperation(platform, getHistoryRebuild, {})).rebuild ?? rebuild
    }
    out(json ? JSON.stringify(rebuild, null, 2) : progress(rebuild))
    return exitCodes.ok
  },
})

function progress({ state, read, toRead, since }: HistoryRebuild): string {
  const from = since === null ? '' : `, as far back as ${since}`
  if (state === 'done') return `rebuilt from ${read} records${from}`
  return toRead === 0 ? 'begun' : `${read} of ${toRead} records${from}`
}
