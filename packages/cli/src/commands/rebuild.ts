import { setTimeout as sleep } from 'node:timers/promises'
import type { HistoryRebuild } from '@surehook/client'
import { adminCommand } from '../admin/admin-command.ts'

const lookEveryMs = 1_000

export const rebuildHistoryCommand = adminCommand({
  name: 'rebuild history',
  summary: 'Empty the delivery history and read it again from its topics',
  details: [
    'Deliveries continue, and new ones show at once. Recoveries wait. webhook-api does the work: it continues when',
    'this command ends. If a rebuild is running, the command shows that rebuild.',
  ].join('\n'),
  options: { detach: { type: 'boolean', help: 'do not wait for the end' } },
  async act({ values, admin: { installation }, request, note }) {
    let rebuild = await installation.rebuildHistory(request)
    const { id } = rebuild
    while (!values.detach && rebuild.id === id && rebuild.state === 'running') {
      note(progress(rebuild))
      await sleep(lookEveryMs, undefined, request)
      rebuild = (await installation.getRebuild(request)).rebuild ?? rebuild
    }
    return { value: rebuild, lines: [progress(rebuild)] }
  },
})

function progress({ state, read, toRead, since }: HistoryRebuild): string {
  const from = since === null ? '' : `, as far back as ${since}`
  if (state === 'done') return `rebuilt from ${read} records${from}`
  return toRead === 0 ? 'begun' : `${read} of ${toRead} records${from}`
}
