import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, it } from '@jest/globals'

type Run = { child: ChildProcess; events: string[]; until(event: string): Promise<void> }

function start(mode: string): Run {
  const fixture = `${import.meta.dirname}/fixtures/lifecycle.ts`
  const child = spawn('node', ['--conditions=source', fixture, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const events: string[] = []
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => events.push((JSON.parse(line) as { msg: string }).msg))
  return {
    child,
    events,
    async until(event) {
      while (!events.includes(event)) await once(lines, 'line')
    },
  }
}

async function exitCode({ child }: Run): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'exit')
  return child.exitCode
}

it('closes what it opened and exits with 0 on SIGTERM', async () => {
  const run = start('plain')
  await run.until('service.started')
  run.child.kill('SIGTERM')
  expect(await exitCode(run)).toBe(0)
  expect(run.events).toEqual([
    'service.started',
    'service.stopping',
    'fixture.closed',
    'service.stopped',
  ])
})

it('ends cleanly while it still waits for a dependency', async () => {
  const run = start('waiting')
  await run.until('dependency.waiting')
  run.child.kill('SIGINT')
  expect(await exitCode(run)).toBe(0)
  expect(run.events.at(-1)).toBe('service.stopped')
})

it('exits with 1 when closing takes longer than the grace', async () => {
  const run = start('hanging')
  await run.until('service.started')
  run.child.kill('SIGTERM')
  expect(await exitCode(run)).toBe(1)
  expect(run.events.at(-1)).toBe('service.forced')
})

it('exits with 1 at once on a second signal', async () => {
  const run = start('hanging')
  await run.until('service.started')
  run.child.kill('SIGTERM')
  await run.until('service.stopping')
  run.child.kill('SIGTERM')
  expect(await exitCode(run)).toBe(1)
})

it('exits with 1 when it cannot open', async () => {
  const run = start('broken')
  expect(await exitCode(run)).toBe(1)
  expect(run.events).toEqual(['service.crashed'])
})
