import { areas, type Finding, type Level } from '@surehook/diagnosis/finding'

const marks: Record<Level, string> = { ok: 'ok', warn: 'WARN', wrong: 'WRONG', skipped: '-' }

/**
 * Formats the findings as lines for a terminal, in the order of the areas, with a summary at the
 * end.
 */
export function reportOf(findings: readonly Finding[]): string[] {
  const lines = areas.flatMap((area) =>
    findings.filter((finding) => finding.area === area).flatMap((finding) => linesOf(finding)),
  )
  return [...lines, '', sumOf(findings)]
}

function linesOf({ area, level, says, advice }: Finding): string[] {
  const head = `${marks[level].padEnd(5)}  ${area.padEnd(13)}  `
  const indent = ' '.repeat(head.length)
  return [`${head}${says}`, ...(advice === undefined ? [] : [`${indent}→ ${advice}`])]
}

export const countOf = (findings: readonly Finding[], level: Level): number =>
  findings.filter((finding) => finding.level === level).length

function sumOf(findings: readonly Finding[]): string {
  const [wrong, warn, ok, skipped] = (['wrong', 'warn', 'ok', 'skipped'] as const).map((level) =>
    countOf(findings, level),
  )
  return `${wrong} wrong, ${warn} to look at, ${ok} ok, ${skipped} not looked at`
}
