import { useTestReceiver } from '../../api/test-receiver.ts'
import { privateAddressIn } from './private-address.ts'

/** Says at once what an attempt would end with. The operator may have allowed the network. */
export function PrivateAddressNotice({ url }: { url: string }) {
  const receiver = useTestReceiver()
  const host = url === receiver ? null : privateAddressIn(url)
  return (
    <p role="status" className={host === null ? 'visually-hidden' : 'small private-address'}>
      {host !== null && (
        <>
          <code>{host}</code> is a private address. Attempts fail unless the operator allows its
          network.
        </>
      )}
    </p>
  )
}
