import { readdirSync, readFileSync } from 'node:fs'

/** A process and everything that it has started, also in groups of their own, as PostgreSQL does. */
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
    // Behind the name, which may hold anything: state, parent.
    const [, parent] = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '').split(
      ' ',
    )
    return Number(parent)
  } catch {
    // It has ended since the directory was read.
    return null
  }
}
