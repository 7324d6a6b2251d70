import type { Environment, Violation } from '@surehook/client'
import { type FormEvent, useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { plural } from '../../parts/data/numbers.ts'
import { faultOf, violationOf } from '../../parts/feedback/faults.ts'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { Card } from '../../parts/layout/page.tsx'
import { SettingControl } from './setting-control.tsx'
import { changesOf, draftOf } from './settings-draft.ts'
import { settingGroups } from './settings-fields.ts'
import './environment.css'

/** Sends only what was changed, so that two operators do not undo each other's settings. */
export function SettingsForm({ stored }: { stored: Environment }) {
  const before = draftOf(stored)
  const [draft, setDraft] = useState(before)
  const [isTried, setTried] = useState(false)
  const changes = changesOf(draft, before)
  const saving = useSaving(stored)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (changes.violations.length === 0 && changes.count > 0) saving.mutate(changes.input)
  }
  const violations: Violation[] = [
    ...(isTried ? changes.violations : []),
    ...faultOf(saving.error).violations,
  ]
  return (
    <form className="stack" noValidate onSubmit={submit}>
      {settingGroups.map(({ title, fields }) => (
        <Card key={title} title={title}>
          <div className="settings-fields">
            {fields.map((field) => (
              <SettingControl
                key={field.path}
                field={field}
                value={draft[field.path] ?? ''}
                onChange={(value) => setDraft({ ...draft, [field.path]: value })}
                violation={violationOf(violations, field.path)}
              />
            ))}
          </div>
        </Card>
      ))}
      {saving.error !== null && <FaultNotice error={saving.error} />}
      <div className="row">
        <Button type="submit" look="primary" isPending={saving.isPending}>
          Save the settings
        </Button>
        <span className="quiet small" role="status">
          {changes.count === 0 ? 'Nothing changed' : `${plural(changes.count, 'change')} to save`}
        </span>
      </div>
    </form>
  )
}

function useSaving({ projectId, environment }: Environment) {
  const { inTenant } = useApi()
  return useAction({
    run: (input: ReturnType<typeof changesOf>['input']) =>
      inTenant(projectId, environment).admin.environments.put(input),
    done: () => 'Settings changed',
    changes: ['environments'],
  })
}
