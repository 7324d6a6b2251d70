import { violationOf } from '../../../parts/feedback/faults.ts'
import { Button } from '../../../parts/forms/button.tsx'
import { FieldGroup, SelectField } from '../../../parts/forms/field.tsx'
import { delaysIn, type PolicyProps, withKey } from './policy-values.ts'
import { delayNames, delayWords } from './retry-delays.ts'

const [firstDelay, mostDelays] = ['30s', 20]

/** When a failed delivery is tried again. */
export function RetryFields({ policy, onChange, violations }: PolicyProps) {
  const delays = delaysIn(policy)
  const set = (value: unknown) => onChange(withKey(policy, 'retryDelays', value))
  const choice = typeof delays === 'string' || delays === null ? (delays ?? '') : 'own'
  return (
    <>
      <SelectField
        label="Retries"
        value={choice}
        onChange={({ target: { value } }) =>
          set(value === 'own' ? [firstDelay] : value === '' ? undefined : value)
        }
        violation={violationOf(violations, 'policy.retryDelays')}
      >
        <option value="">As this Surehook does by default</option>
        <option value="extended">12 retries within 51 to 56 hours</option>
        <option value="own">With these delays</option>
      </SelectField>
      {choice === 'own' && <DelayList delays={delays as readonly string[]} onChange={set} />}
    </>
  )
}

const ofDelays =
  'After the last of them, the delivery is a dead letter. ' +
  'If the operator has set other delays, choose JSON and write them there.'

type DelayListProps = { delays: readonly string[]; onChange: (delays: string[]) => void }

function DelayList({ delays, onChange }: DelayListProps) {
  return (
    <FieldGroup label="Delays before each retry" hint={ofDelays}>
      <ol className="policy-rows">
        {delays.map((delay, index) => (
          <DelayRow
            // oxlint-disable-next-line react/no-array-index-key -- a delay is its place in the list
            key={index}
            number={index + 1}
            delay={delay}
            onChange={(next) => onChange(delays.with(index, next))}
            onRemove={delays.length === 1 ? null : () => onChange(delays.toSpliced(index, 1))}
          />
        ))}
      </ol>
      {delays.length < mostDelays && (
        <Button icon="plus" onClick={() => onChange([...delays, delays.at(-1) ?? firstDelay])}>
          Add a retry
        </Button>
      )}
    </FieldGroup>
  )
}

type DelayRowProps = {
  number: number
  delay: string
  onChange: (delay: string) => void
  /** Null for the only one. */
  onRemove: (() => void) | null
}

function DelayRow({ number, delay, onChange, onRemove }: DelayRowProps) {
  return (
    <li className="policy-row">
      <select
        className="control"
        aria-label={`Delay before retry ${number}`}
        value={delay}
        onChange={({ target }) => onChange(target.value)}
      >
        {delayNames(delay).map((name) => (
          <option key={name} value={name}>
            {delayWords(name)}
          </option>
        ))}
      </select>
      {onRemove !== null && (
        <Button look="ghost" icon="close" onClick={onRemove}>
          <span className="visually-hidden">Remove retry {number}</span>
        </Button>
      )}
    </li>
  )
}
