import type { UserAccount } from '@surehook/client'
import { type FormEvent, useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { faultOf, violationOf } from '../../parts/feedback/faults.ts'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { JsonEditor } from '../../parts/forms/json-editor.tsx'
import { jsonObjectIn } from '../../parts/forms/json-object.ts'
import { Card } from '../../parts/layout/page.tsx'

/** What the project says of the user, as JSON. */
export function AttributesCard({ user }: { user: UserAccount }) {
  const { surehook } = useApi()
  const stored = JSON.stringify(user.attributes, null, 2)
  const [text, setText] = useState(stored)
  const [fault, setFault] = useState<string>()
  const saving = useAction({
    // The API checks the values, and names each fault.
    run: (attributes: object) =>
      surehook.admin.users.update(user.id, { attributes: attributes as UserAccount['attributes'] }),
    done: () => 'Attributes changed',
    changes: ['users'],
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const parsed = jsonObjectIn(text)
    setFault('fault' in parsed ? parsed.fault : undefined)
    if ('value' in parsed) saving.mutate(parsed.value)
  }
  return (
    <Card title="Attributes">
      <form className="stack" noValidate onSubmit={submit}>
        <JsonEditor
          label="Attributes as JSON"
          value={text}
          onChange={setText}
          violation={fault ?? violationOf(faultOf(saving.error).violations, 'attributes')}
          hint="What the project says of the user, by name: texts, numbers, true, false, or lists of them. The user cannot change it."
        />
        {saving.error !== null && <FaultNotice error={saving.error} />}
        <div className="row">
          <Button type="submit" isPending={saving.isPending}>
            Save the attributes
          </Button>
          {text !== stored && <span className="quiet small">Not saved yet</span>}
        </div>
      </form>
    </Card>
  )
}
