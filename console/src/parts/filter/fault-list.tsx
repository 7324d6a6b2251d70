import type { Fault } from './model/faults.ts'

/** What is wrong with a member of the filter. Nothing shows if nothing is. */
export function FaultList({ faults, id }: { faults: readonly Fault[]; id?: string }) {
  if (faults.length === 0) return null
  return (
    <ul className="filter-faults" id={id}>
      {faults.map(({ message, index }) => (
        <li key={`${index} ${message}`} className="violation">
          {index !== null && `Value ${index + 1} `}
          {message}
        </li>
      ))}
    </ul>
  )
}
