import { violationOf } from '../../../parts/feedback/faults.ts'
import { TypedControl } from '../../../parts/filter/typed-control.tsx'
import { CheckField, Field } from '../../../parts/forms/field.tsx'
import { HeaderFields } from './header-fields.tsx'
import { amountIn, type PolicyProps, perSecondIn, withKey } from './policy-values.ts'
import { RetryFields } from './retry-fields.tsx'
import './policy.css'

/** A control for each part of a policy, with its unit. */
export function PolicyForm(props: PolicyProps) {
  const { policy, onChange, violations } = props
  const set = (key: string, value: unknown) => onChange(withKey(policy, key, value))
  const check = (key: string, on: unknown, label: string) => (
    <CheckField
      label={label}
      checked={policy[key] === on}
      onChange={({ target }) => set(key, target.checked ? on : undefined)}
    />
  )
  return (
    <div className="policy-form">
      <RetryFields {...props} />
      <div className="policy-limits">
        <AmountField
          label="Attempts at once"
          hint="1 to 32. Empty: the default"
          value={amountIn(policy['concurrency'])}
          onChange={(value) => set('concurrency', value)}
          violation={violationOf(violations, 'policy.concurrency')}
        />
        <AmountField
          label="Attempts per second"
          hint="0.1 to 1,000. Empty: no limit"
          value={perSecondIn(policy)}
          onChange={(perSecond) =>
            set('rateLimit', perSecond === undefined ? undefined : { perSecond })
          }
          violation={violationOf(violations, 'policy.rateLimit')}
        />
      </div>
      <div className="policy-checks">
        {check('ordered', 'record', 'Send the changes of a record one after the other')}
        {check('retryAfter', true, 'Wait as long as the receiver asks for (Retry-After)')}
        {check('gone', 'deactivate', 'Deactivate the webhook when the receiver answers 410')}
      </div>
      <HeaderFields {...props} />
    </div>
  )
}

type AmountFieldProps = {
  label: string
  hint: string
  value: string | number
  onChange: (value: string | number | undefined) => void
  violation: string | undefined
}

function AmountField({ label, hint, value, onChange, violation }: AmountFieldProps) {
  return (
    <Field label={label} hint={hint} violation={violation}>
      {(control) => (
        <TypedControl
          kind="number"
          value={value}
          control={{ ...control, className: 'control' }}
          onChange={(typed) =>
            onChange(typed === '' || typeof typed === 'boolean' ? undefined : (typed ?? undefined))
          }
        />
      )}
    </Field>
  )
}
