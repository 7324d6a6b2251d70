import type { DeliveryDetail, Subscription } from '@surehook/client'
import { version } from '../../../package.json'
import { JsonView } from '../../parts/data/json/json-view.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { CopyButton } from '../../parts/forms/copy-button.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { Tabs } from '../../parts/layout/tabs.tsx'
import { curlOf, operationIn, sentHeaders, signedHeaderNames } from './curl.ts'

type RequestCardProps = { delivery: DeliveryDetail; webhook: Subscription | undefined }

/** What the receiver gets: the exact bytes, and the headers. */
export function RequestCard({ delivery, webhook }: RequestCardProps) {
  const { body } = delivery
  const target = webhook?.url ?? delivery.attemptLog.at(-1)?.url
  const headers = sentHeaders(delivery, {
    operation: operationIn(body),
    version,
    ownNames: webhook?.policy?.headerNames,
  })
  if (body === null) {
    return (
      <Card title="Request">
        <Notice title="The bytes are gone">
          <p>They are kept for a limited time. The attempts remain.</p>
        </Notice>
      </Card>
    )
  }
  return (
    <Card
      title="Request"
      actions={
        target !== undefined && (
          <CopyButton text={curlOf(target, headers, body)} label="Copy as curl" />
        )
      }
    >
      <Tabs
        label="Parts of the request"
        items={[
          { id: 'body', label: 'Body', content: <JsonView label="Body" text={body} /> },
          {
            id: 'bytes',
            label: 'Exact bytes',
            content: <JsonView label="Exact bytes" text={body} isExact />,
          },
          { id: 'headers', label: 'Headers', content: <Headers headers={headers} /> },
        ]}
      />
    </Card>
  )
}

function Headers({ headers }: { headers: ReturnType<typeof sentHeaders> }) {
  return (
    <dl className="headers">
      {headers.map(([name, value]) => (
        <div key={name}>
          <dt className="mono">{name}</dt>
          {typeof value === 'string' ? (
            <dd className="mono breakable">{value}</dd>
          ) : (
            <dd className="quiet">set by the webhook, hidden</dd>
          )}
        </div>
      ))}
      {signedHeaderNames.map((name) => (
        <div key={name}>
          <dt className="mono">{name}</dt>
          <dd className="quiet">new in each attempt</dd>
        </div>
      ))}
    </dl>
  )
}
