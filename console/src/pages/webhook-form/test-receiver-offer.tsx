import { useTestReceiver } from '../../api/test-receiver.ts'
import { Button } from '../../parts/forms/button.tsx'

type OfferProps = { url: string; onUrl: (url: string) => void }

/** Offers the receiver that `npm start` runs to a user who has none yet. */
export function TestReceiverOffer({ url, onUrl }: OfferProps) {
  const receiver = useTestReceiver()
  if (receiver === null || url !== '') return null
  return (
    <div className="row">
      <Button onClick={() => onUrl(receiver)}>Use the test receiver</Button>
      <span className="quiet small">
        It runs beside this Surehook, and answers 204 to everything.
      </span>
    </div>
  )
}
