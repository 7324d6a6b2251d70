import { useEffect, useState } from 'react'
import { Button } from './button.tsx'

const shownForMs = 1_500

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready')
  useEffect(() => {
    if (state === 'ready') return
    const timer = setTimeout(() => setState('ready'), shownForMs)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () => {
    // Without https, browsers offer no clipboard.
    const copying = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('none'))
    copying.then(
      () => setState('copied'),
      () => setState('failed'),
    )
  }
  const shown = { ready: label, copied: 'Copied', failed: 'Select the text and copy it' }[state]
  return (
    <Button look="ghost" icon={state === 'copied' ? 'check' : 'copy'} onClick={copy}>
      <span aria-live="polite">{shown}</span>
    </Button>
  )
}
