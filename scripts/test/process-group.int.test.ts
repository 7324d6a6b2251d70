import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { until } from '@surehook/testing/until'
import { endLeftovers, openProcessGroup, ownerOf } from '../src/lib/processes/process-group.ts'
import { isAlive } from '../src/lib/processes/process-table.ts'

const fixture = fileURLToPath(new URL('fixtures/owner.ts', import.meta.url))
let dir: string
let owner: ChildProcess

beforeEach(async () => {
  dir = await mkdtemp(`${tmpdir()}/process-group-`)
  owner = spawn(process.execPath, [fixture, dir], { stdio: ['ignore', 'pipe', 'inherit'] })
})

afterEach(async () => {
  owner.kill('SIGKILL')
  await gone(childPid())
  await rm(dir, { recursive: true, force: true })
})

describe('a process group', () => {
  it('ends its processes when its owner is killed', async () => {
    const pid = await startedChild()
    owner.kill('SIGKILL')
    await gone(pid)
    expect(await ownerOf(dir)).toBeNull()
  })

  it('ends what is left when owner and watchdog are both killed, at the next start', async () => {
    const pid = await startedChild()
    const watchdog = watchdogOf(dir)
    process.kill(watchdog, 'SIGKILL')
    owner.kill('SIGKILL')
    await once(owner, 'exit')
    expect(isAlive(pid, dir)).toBe(true)

    const next = await openProcessGroup(dir)
    expect(isAlive(pid, dir)).toBe(false)
    await next.close()
  })

  it('names what it ended of a killed owner', async () => {
    const pid = await startedChild()
    process.kill(watchdogOf(dir), 'SIGKILL')
    owner.kill('SIGKILL')
    await once(owner, 'exit')
    expect(await endLeftovers(dir)).toEqual(['sleeper'])
    expect(isAlive(pid, dir)).toBe(false)
    expect(await endLeftovers(dir)).toEqual([])
    expect(await endLeftovers(`${dir}/absent`)).toEqual([])
  })

  it('belongs to one owner at a time', async () => {
    await startedChild()
    expect(await ownerOf(dir)).toBe(owner.pid)
    await expect(openProcessGroup(dir)).rejects.toThrow(
      `in use by the running process ${owner.pid}`,
    )
  })

  it('leaves nothing behind when its owner stops in order', async () => {
    const pid = await startedChild()
    owner.kill('SIGTERM')
    const [code] = (await once(owner, 'exit')) as [number | null]
    expect(code).toBe(0)
    expect(isAlive(pid, dir)).toBe(false)
    expect(existsSync(`${dir}/run/owner`)).toBe(false)
  })

  it('starts a process again that dies by itself', async () => {
    const pid = await startedChild()
    process.kill(pid, 'SIGKILL')
    await until(() => childPid() !== pid && isAlive(childPid(), dir), {
      what: 'the process to be back',
    })
    expect(childPid()).not.toBe(pid)
  })
})

async function startedChild(): Promise<number> {
  const [line] = (await once(owner.stdout ?? owner, 'data')) as [Buffer]
  return Number(line.toString())
}

function childPid(): number {
  const file = `${dir}/run/sleeper.pid`
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0
}

async function gone(pid: number): Promise<void> {
  await until(() => pid === 0 || !isAlive(pid, dir), { what: `end of ${pid}` })
}

/** Returns the pid of the shell that holds the other end of the owner's pipe. */
function watchdogOf(watched: string): number {
  const pid = Number(readFileSync(`${watched}/run/watchdog`, 'utf8'))
  expect(isAlive(pid, watched)).toBe(true)
  return pid
}
