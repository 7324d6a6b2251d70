import { useSearchParams } from 'react-router'
import { isLive, withLive } from './filters.ts'
import './live-list.css'

/** Its state is in the URL: going back to the list finds it as it was. */
export function LiveSwitch() {
  const [params, setParams] = useSearchParams()
  const isOn = isLive(params)
  return (
    <label className="switch">
      <input
        type="checkbox"
        role="switch"
        checked={isOn}
        aria-checked={isOn}
        onChange={() => setParams(withLive(params, !isOn), { replace: true })}
      />
      <span>Live</span>
    </label>
  )
}
