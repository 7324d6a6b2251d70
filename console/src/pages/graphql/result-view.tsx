import { prettyJson, visibleText } from '../../parts/data/json/json-tokens.ts'
import { milliseconds } from '../../parts/data/numbers.ts'
import { Badge } from '../../parts/data/status-badge.tsx'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import CodeMirror from '../../parts/forms/code-mirror.tsx'
import { CopyButton } from '../../parts/forms/copy-button.tsx'
import type { GraphQLAnswer } from './ask.ts'

type ResultProps = { run: { data: GraphQLAnswer | undefined; error: unknown; isPending: boolean } }

/** The answer, in an editor that draws only the lines in view: it may have a megabyte. */
export function ResultView({ run: { data, error, isPending } }: ResultProps) {
  if (error !== null) return <FaultNotice error={error} />
  if (data === undefined) {
    return <p className="quiet">{isPending ? 'Waiting for the answer…' : 'Run an operation.'}</p>
  }
  const isGood = data.status === 200 && !hasErrors(data.text)
  return (
    <div className="stack-tight">
      <div className="row spread">
        <p className="row" role="status">
          <Badge tone={isGood ? 'good' : 'bad'}>{isGood ? 'Done' : 'Errors'}</Badge>
          <span className="quiet">
            HTTP {data.status} after {milliseconds(data.took)}
          </span>
        </p>
        <CopyButton text={data.text} />
      </div>
      <div className="json-editor graphql-result">
        <CodeMirror label="Result" value={visibleText(prettyJson(data.text))} isReadOnly />
      </div>
    </div>
  )
}

function hasErrors(text: string): boolean {
  try {
    const { errors } = JSON.parse(text) as { errors?: unknown }
    return errors !== undefined
  } catch {
    // A proxy may have answered.
    return true
  }
}
