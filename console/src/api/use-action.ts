import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useToasts } from '../parts/feedback/toasts.tsx'
import { useApi } from './api.ts'

type Action<Input, Result> = {
  run: (input: Input) => Promise<Result>
  /** What happened, as a sentence. */
  done: (result: Result, input: Input) => string
  /** What did not happen, for a failure that no dialog shows. */
  failed?: string
  /** The first part of the keys of what is read again. */
  changes: readonly string[]
  after?: (result: Result) => void
}

/** Runs a write, says what came of it, and reads again what it changed. */
export function useAction<Result, Input = void>(action: Action<Input, Result>) {
  const { keyOf } = useApi()
  const queries = useQueryClient()
  const toasts = useToasts()
  return useMutation({
    mutationFn: action.run,
    onSuccess: (result, input) => {
      toasts.done(action.done(result, input))
      for (const part of action.changes) void queries.invalidateQueries({ queryKey: keyOf(part) })
      action.after?.(result)
    },
    onError: (err) => {
      if (action.failed !== undefined) toasts.failed(action.failed, err)
    },
  })
}
