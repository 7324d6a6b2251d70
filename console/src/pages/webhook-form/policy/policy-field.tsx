import type { Violation } from '@surehook/client'
import { violationOf } from '../../../parts/feedback/faults.ts'
import { FormOrJson } from '../../../parts/forms/form-or-json.tsx'
import { JsonEditor } from '../../../parts/forms/json-editor.tsx'
import { PolicyForm } from './policy-form.tsx'
import { policyIn } from './policy-values.ts'

type PolicyFieldProps = {
  /** JSON text, empty for the defaults. */
  value: string
  onChange: (text: string) => void
  violations: readonly Violation[]
}

/** The delivery policy as a form or as JSON. */
export function PolicyField({ value, onChange, violations }: PolicyFieldProps) {
  const policy = policyIn(value)
  return (
    <FormOrJson
      label="Delivery policy"
      form={policy && <PolicyForm {...{ policy, onChange, violations }} />}
      json={
        <JsonEditor
          label="Delivery policy"
          isLabelHidden
          value={value}
          onChange={onChange}
          violation={violationOf(violations, 'policy')}
          hint="With headers, retryDelays, concurrency, rateLimit, ordered, retryAfter, gone."
        />
      }
    />
  )
}
