import type { Preview, Violation } from '@surehook/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { faultOf } from '../../parts/feedback/faults.ts'
import { useDebounced } from '../../parts/forms/use-debounced.ts'
import { type Draft, parseDraft } from './draft.ts'

const pauseMs = 350

export type PreviewState = {
  preview: Preview | undefined
  error: unknown
  /** What the API found wrong with the draft as it is now. */
  violations: readonly Violation[]
  /** The draft is not finished, so the preview is that of an earlier one. */
  isWaiting: boolean
}

/** Asks which of the newest changes the draft would deliver, whenever the typing pauses. */
export function usePreview(draft: Draft): PreviewState {
  const { parsed, violations } = parseDraft(draft)
  const now = JSON.stringify(parsed)
  const asked = useDebounced(now, pauseMs)
  const { surehook, keyOf } = useApi()
  const isSettled = asked === now && violations.length === 0
  const { data, error } = useQuery({
    queryKey: keyOf('preview', asked),
    queryFn: ({ signal }) => surehook.webhooks.preview(JSON.parse(asked), { signal }),
    enabled: isSettled,
    placeholderData: keepPreviousData,
  })
  return {
    preview: data,
    error,
    violations: isSettled ? faultOf(error).violations : [],
    isWaiting: violations.length > 0,
  }
}
