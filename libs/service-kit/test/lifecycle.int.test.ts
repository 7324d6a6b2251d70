import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, it } from '@jest/globals'

type LogLine = { msg: string; reason?: string }
type Run = { child: ChildProcess; lines: LogLine[]; until(event: string): Promise<void> }

function start(mode: string): Run {
  const fixture = `${import.meta.dirname}/fixtures/lifecycle.ts`
  const child = spawn('node', ['--conditions=source', fixture, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: LogLine[] = []
  const output = createInterface({ input: child.stdout })
  output.on('line', (line) => lines.push(JSON.parse(line) as LogLine))
  return {
    child,
    lines,
    async until(event) {
      while (!lines.some(({ msg }) => msg === event)) await once(output, 'line')
    },
  }
}

const eventsOf = ({ lines }: Run) => lines.map(({ msg }) => msg)

async function exitCode({ child }: Run): Promise<number | null> {
  // `close`, not `exit`: all output has arrived by then.
  if (child.exitCode === null || !child.stdout?.closed) await once(child, 'close')
  return child.exitCode
}

it('closes what it opened and exits with 0 on SIGTERM', async () => {
  const run = start('plain')
  await run.until('service.started')
  run.child.kill('SIGTERM')
  expect(await exitCode(run)).toBe(0)
  expect(eventsOf(run)).toEqual([
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
  expect(eventsOf(run).at(-1)).toBe('service.stopped')
})

it('exits with 1 when closing takes longer than the grace', async () => {
  const run = start('hanging')
  await run.until('service.started')
  run.child.kill('SIGTERM')
  expect(await exitCode(run)).toBe(1)
  expect(run.lines.at(-1)).toMatchObject({ msg: 'service.forced', reason: 'grace over' })
})

it('exits with 1 at once on a second signal', async () => {
  const run = start('hanging')
  await run.until('service.started')
  run.child.kill('SIGTERM')
  await run.until('service.stopping')
  run.child.kill('SIGTERM')
  expect(await exitCode(run)).toBe(1)
  expect(run.lines.at(-1)).toMatchObject({ msg: 'service.forced', reason: 'second signal' })
})

it('exits with 1 when it cannot open', async () => {
  const run = start('broken')
  expect(await exitCode(run)).toBe(1)
  expect(eventsOf(run)).toEqual(['service.crashed'])
})
