import { Button, ButtonLink } from './button.tsx'

type FormActionsProps = {
  /** The verb on the button. */
  action: string
  isPending: boolean
  /** Where Cancel leads. A form that stays has none. */
  back?: string | undefined
}

/** The buttons at the end of a form. */
export function FormActions({ action, isPending, back }: FormActionsProps) {
  return (
    <div className="row">
      <Button type="submit" look="primary" isPending={isPending}>
        {action}
      </Button>
      {back !== undefined && (
        <ButtonLink look="ghost" to={back}>
          Cancel
        </ButtonLink>
      )}
    </div>
  )
}
