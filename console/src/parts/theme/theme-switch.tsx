import { useSyncExternalStore } from 'react'
import { Segments } from '../forms/segments.tsx'
import { chooseTheme, currentTheme, onTheme } from './theme.ts'

const options = [
  { id: 'system', label: 'System' },
  { id: 'light', label: 'Light' },
  { id: 'dark', label: 'Dark' },
] as const

export function ThemeSwitch() {
  const theme = useSyncExternalStore(onTheme, currentTheme)
  return <Segments label="Theme" options={options} value={theme} onChange={chooseTheme} />
}
