import { useRouteError } from 'react-router'
import { faultOf } from '../parts/feedback/faults.ts'
import { Notice } from '../parts/feedback/notice.tsx'
import { Button } from '../parts/forms/button.tsx'
import { Page } from '../parts/layout/page.tsx'

/** A page that failed to load or to render. A new version may have replaced its files. */
export function PageFault() {
  const { message } = faultOf(useRouteError())
  return (
    <Page title="This page failed">
      <Notice tone="bad" title={message}>
        <p>If Surehook was upgraded meanwhile, load the page again.</p>
        <p>
          <Button onClick={() => window.location.reload()}>Load again</Button>
        </p>
      </Notice>
    </Page>
  )
}
