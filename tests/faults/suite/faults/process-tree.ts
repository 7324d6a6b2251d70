import { readdirSync, readFileSync } from 'node:fs'

/**
 * Returns a process and all its descendants, including those in other process groups, as PostgreSQL
 * makes them.
 */
export function treeOf(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    const parent = parentOf(Number(name))
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const found = [pid]
  for (const one of found) found.push(...(children.get(one) ?? []))
  return found
}

function parentOf(pid: number): number | null {
  if (!Number.isInteger(pid)) return null
  try {
    // The fields after the process name, which may contain anything: state, parent.
    const [, parent] = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '').split(
      ' ',
    )
    return Number(parent)
  } catch {
    // The process has ended since the directory was read.
    return null
  }
}
