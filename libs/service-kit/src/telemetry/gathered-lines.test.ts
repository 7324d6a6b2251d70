import { spawnSync } from 'node:child_process'
import fs, { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { openGatheredLines } from './gathered-lines.ts'

let dir: string
const read = () => readFileSync(`${dir}/log`, 'utf8')

beforeEach(() => {
  dir = mkdtempSync(`${tmpdir()}/lines-`)
})
afterEach(() => rmSync(dir, { recursive: true }))

describe('openGatheredLines', () => {
  it('writes lines together in order, or at once on flushSync', async () => {
    const lines = openGatheredLines(`${dir}/log`)
    lines.write('a\n')
    lines.write('b\n')
    expect(read()).toBe('')
    lines.flushSync()
    expect(read()).toBe('a\nb\n')
    lines.write('c\n')
    while (read() !== 'a\nb\nc\n') await new Promise((resolve) => setTimeout(resolve, 5))
  })

  it('writes early when its buffer is full', () => {
    const lines = openGatheredLines(`${dir}/log`)
    const line = `${'x'.repeat(1_000)}\n`
    for (let n = 0; n < 100; n++) lines.write(line)
    expect(read().length).toBeGreaterThan(50_000)
    lines.flushSync()
    expect(read()).toBe(line.repeat(100))
  })

  it('does not wait for the disk', () => {
    const fsync = jest.spyOn(fs, 'fsyncSync')
    const lines = openGatheredLines(`${dir}/log`)
    lines.write('a\n')
    lines.flushSync()
    expect(read()).toBe('a\n')
    expect(fsync).not.toHaveBeenCalled()
    fsync.mockRestore()
  })

  it('writes its buffer when the process exits by itself in any way', () => {
    const url = new URL('./gathered-lines.ts', import.meta.url)
    const script = (end: string) =>
      `const { openGatheredLines } = await import('${url}'); openGatheredLines().write('last\\n'); ${end}`
    for (const end of ['', 'process.exit(3)', "throw new Error('crash')"]) {
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script(end)])
      expect(String(stdout)).toBe('last\n')
    }
  })
})
