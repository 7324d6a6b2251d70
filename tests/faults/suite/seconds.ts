export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
