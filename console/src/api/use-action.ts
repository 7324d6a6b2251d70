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
  /** Leads away from what the write removed, before it is read again. */
  after?: (result: Result) => void | Promise<void>
  /** The result is forgotten with the component that shows it. */
  isSecret?: boolean
}

/** Runs a write, shows its result, and reads again what it changed. */
export function useAction<Result, Input = void>(action: Action<Input, Result>) {
  const { keyOf } = useApi()
  const queries = useQueryClient()
  const toasts = useToasts()
  return useMutation({
    mutationFn: action.run,
    ...(action.isSecret === true && { gcTime: 0 }),
    onSuccess: async (result, input) => {
      toasts.done(action.done(result, input))
      await action.after?.(result)
      for (const part of action.changes) void queries.invalidateQueries({ queryKey: keyOf(part) })
    },
    onError: (err) => {
      if (action.failed !== undefined) toasts.failed(action.failed, err)
    },
  })
}
