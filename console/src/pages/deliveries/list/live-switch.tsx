import { useSearchParams } from 'react-router'
import { Switch } from '../../../parts/forms/switch.tsx'
import { isLive, withLive } from './filters.ts'

/** Its state is in the URL: going back to the list finds it as it was. */
export function LiveSwitch() {
  const [params, setParams] = useSearchParams()
  return (
    <Switch
      label="Live"
      isOn={isLive(params)}
      onChange={(isOn) => setParams(withLive(params, isOn), { replace: true })}
    />
  )
}
