import { Command } from '../../parts/feedback/empty-state.tsx'
import { ButtonLink } from '../../parts/forms/button.tsx'
import { Card } from '../../parts/layout/page.tsx'
import './first-steps.css'

/** What to do in an environment without a webhook. */
export function FirstSteps() {
  return (
    <Card title="Your first webhook">
      <ol className="first-steps">
        <li>
          <h3>Start a receiver</h3>
          <p>In a checkout of Surehook, this one prints its URL and every event that it accepts.</p>
          <Command text="npm run receiver" />
          <p>Elsewhere, this command forwards changes to your service. It needs no webhook.</p>
          <Command text="npx surehook listen --forward-to localhost:3000/hooks" />
        </li>
        <li>
          <h3>Create a webhook</h3>
          <p>Name a table, the URL of the receiver and its secret.</p>
          <ButtonLink look="primary" icon="plus" to="/webhooks/new">
            New webhook
          </ButtonLink>
        </li>
        <li>
          <h3>Send a test, or change a record</h3>
          <p>The page of the webhook sends a test event. Its delivery opens with every attempt.</p>
        </li>
      </ol>
    </Card>
  )
}
