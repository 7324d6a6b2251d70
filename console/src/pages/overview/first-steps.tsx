import { useTableNames } from '../../api/queries.ts'
import { useTestReceiver } from '../../api/test-receiver.ts'
import { Command } from '../../parts/feedback/empty-state.tsx'
import { ButtonLink } from '../../parts/forms/button.tsx'
import { Card } from '../../parts/layout/page.tsx'
import './first-steps.css'

/** What to do in an environment without a webhook. */
export function FirstSteps() {
  const [table] = useTableNames()
  return (
    <Card title="Your first webhook">
      <ol className="first-steps">
        <TableStep table={table} />
        <WebhookStep table={table} />
        <li>
          <h3>Create a record, and see its delivery</h3>
          <p>
            The page of the webhook shows each delivery with its bytes and attempts. From there you
            send it again, and see which webhooks got the event and why.
          </p>
          {table !== undefined && (
            <ButtonLink icon="plus" to={`/tables/${table}/new-record`}>
              New record
            </ButtonLink>
          )}
        </li>
      </ol>
    </Card>
  )
}

type StepProps = { table: string | undefined }

function TableStep({ table }: StepProps) {
  return (
    <li>
      <h3>Define a table</h3>
      {table === undefined ? (
        <>
          <p>Each change of its records becomes an event.</p>
          <ButtonLink look="primary" icon="plus" to="/new-table">
            New table
          </ButtonLink>
        </>
      ) : (
        <p>
          Done: this environment has the table <code>{table}</code>.
        </p>
      )}
    </li>
  )
}

function WebhookStep({ table }: StepProps) {
  const receiver = useTestReceiver()
  const form = table === undefined ? '/webhooks/new' : `/webhooks/new?table=${table}`
  return (
    <li>
      <h3>Create a webhook</h3>
      <p>
        It sends the changes of a table to a URL.
        {receiver !== null && ' The form offers a test receiver, which runs beside this Surehook.'}
      </p>
      <ButtonLink {...(table !== undefined && { look: 'primary' })} icon="plus" to={form}>
        New webhook
      </ButtonLink>
      <details className="own-receiver" open={receiver === null}>
        <summary>Run a receiver of your own</summary>
        <div className="stack-tight">
          <p>In a checkout of Surehook, this one prints its URL and every event that it accepts.</p>
          <Command text="npm run receiver" label="Command that starts a receiver" />
          <p>Elsewhere, this command forwards changes to your service. It needs no webhook.</p>
          <Command
            text="npx surehook listen --forward-to localhost:3000/hooks"
            label="Command that forwards changes"
          />
        </div>
      </details>
    </li>
  )
}
