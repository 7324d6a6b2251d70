import { count } from '../../../parts/data/numbers.ts'
import { Button } from '../../../parts/forms/button.tsx'

type NewerButtonProps = { newer: number; isMore: boolean; onShow: () => void }

/** Lies over the list, so that it moves nothing. It is no live region: its number changes often. */
export function NewerButton({ newer, isMore, onShow }: NewerButtonProps) {
  return (
    <div className="newer">
      {newer > 0 && (
        <Button look="primary" onClick={onShow}>
          {count(newer)} {isMore && 'or more'} newer
        </Button>
      )}
    </div>
  )
}
