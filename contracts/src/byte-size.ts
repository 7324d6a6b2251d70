const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** Formats bytes as `1.5 MiB`. */
export function byteSize(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  const amount = bytes / 1024 ** step
  return `${step === 0 ? amount : amount.toFixed(1)} ${units[step]}`
}
