import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useAction } from '../../api/use-action.ts'
import { Dialog } from '../../parts/feedback/dialog.tsx'
import { faultOf, violationOf } from '../../parts/feedback/faults.ts'
import { FaultNotice } from '../../parts/feedback/notice.tsx'
import { Button } from '../../parts/forms/button.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { useNavigateAfterCall } from '../../parts/navigation/use-is-here.ts'

/** Creates a project with its first environment, or an environment of a project that exists. */
export function NewProjectDialog({ onClose }: { onClose: () => void }) {
  const { inTenant } = useApi()
  const navigate = useNavigateAfterCall()
  const [project, setProject] = useState('')
  const [environment, setEnvironment] = useState('master')
  const [isTried, setTried] = useState(false)
  const creating = useAction({
    run: () => inTenant(project, environment).admin.environments.put(),
    done: () => `${project}/${environment} is ready`,
    changes: ['projects', 'environments'],
    after: () => void navigate(`/operator/projects/${project}/tokens`),
  })
  const create = () => {
    setTried(true)
    if (project !== '' && environment !== '') creating.mutate()
  }
  const { violations } = faultOf(creating.error)
  const missing = (value: string) => (isTried && value === '' ? 'must be set' : undefined)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="New project"
      actions={
        <Button look="primary" isPending={creating.isPending} onClick={create}>
          Create the project
        </Button>
      }
    >
      <p>After that, create a management token. Its owner signs in with it and calls the API.</p>
      <TextField
        label="Project"
        value={project}
        onChange={(event) => setProject(event.target.value.trim())}
        violation={missing(project) ?? violationOf(violations, 'project')}
        hint="Its name appears in URLs and headers."
      />
      <TextField
        label="Environment"
        value={environment}
        onChange={(event) => setEnvironment(event.target.value.trim())}
        violation={missing(environment) ?? violationOf(violations, 'environment')}
      />
      {creating.error !== null && <FaultNotice error={creating.error} />}
    </Dialog>
  )
}
