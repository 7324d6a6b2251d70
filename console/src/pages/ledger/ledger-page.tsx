import type { LedgerQuery } from '@surehook/client'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { Card, Page as Frame } from '../../parts/layout/page.tsx'
import { LedgerForm } from './ledger-form.tsx'
import { LedgerView } from './ledger-view.tsx'
import { useLedger } from './use-ledger.ts'
import './ledger.css'

export function Page() {
  const { taking, stop } = useLedger()
  const { data, error, isPending, variables } = taking
  return (
    <Frame
      title="Ledger"
      description="Compares the deliveries that changes must make with those on the topics. It finds what is missing, of all tenants."
    >
      <LedgerForm taking={taking} />
      {isPending && <Reading onStop={stop} />}
      {error !== null && <FaultNotice error={error} />}
      {data !== undefined && <LedgerView ledger={data} scope={scopeOf(variables)} />}
    </Frame>
  )
}

const scopeOf = ({ project, environment }: LedgerQuery = { from: '' }) => ({
  ...(project !== undefined && { project }),
  ...(environment !== undefined && { environment }),
})

const Reading = ({ onStop }: { onStop: () => void }) => (
  <Card>
    <div className="stack-tight">
      <progress className="ledger-progress" aria-label="Reading the topics" />
      <p role="status">
        Surehook reads the topics. A long time span takes minutes. Leaving the page stops it.
      </p>
      <div className="row">
        <Button onClick={onStop}>Stop</Button>
      </div>
    </div>
  </Card>
)
