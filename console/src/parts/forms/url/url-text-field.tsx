import { type ComponentProps, useCallback, useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useIsHere } from '../../navigation/use-is-here.ts'
import { TextField } from '../field.tsx'
import { useDebounced } from '../use-debounced.ts'
import { withParam } from './url-params.ts'

const pauseMs = 300

type UrlTextFieldProps = Omit<ComponentProps<typeof TextField>, 'value' | 'onChange' | 'name'> & {
  /** The parameter of the URL that keeps the text. */
  name: string
}

/** Typing searches once the reader pauses, or presses Enter. */
export function UrlTextField({ name, ...field }: UrlTextFieldProps) {
  const [params, setParams] = useSearchParams()
  const isHere = useIsHere()
  const given = params.get(name) ?? ''
  const [typed, setTyped] = useState(given)
  const [shown, setShown] = useState(given)
  if (shown !== given) {
    // The URL changed: by the clear button or the browser's history.
    setShown(given)
    if (typed.trim() !== given) setTyped(given)
  }
  const settled = useDebounced(typed, pauseMs)
  const search = useCallback(
    (value: string) =>
      setParams((current) => withParam(current, name, value.trim()), { replace: true }),
    [name, setParams],
  )
  useEffect(() => {
    if (settled === typed && settled.trim() !== given && isHere()) search(settled)
  }, [settled, typed, given, search, isHere])
  return (
    <TextField
      {...field}
      value={typed}
      onKeyDown={({ key }) => {
        if (key === 'Enter' && typed.trim() !== given) search(typed)
      }}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}
