import type { ComponentProps } from 'react'
import { Link } from 'react-router'
import { Icon, type IconName } from '../layout/icon.tsx'
import './button.css'

type ButtonLook = {
  look?: 'primary' | 'secondary' | 'ghost' | 'danger'
  icon?: IconName
}

type ButtonProps = ComponentProps<'button'> &
  ButtonLook & {
    isPending?: boolean
    /** False while the action cannot begin yet. The button keeps the focus. */
    isReady?: boolean
  }

/** While its action runs, a button stays in place and takes no second click. */
export function Button({ look = 'secondary', icon, isPending = false, ...props }: ButtonProps) {
  const { children, onClick, isReady = true, ...rest } = props
  const isOff = isPending || !isReady
  return (
    <button
      type="button"
      className={`button ${look}`}
      aria-busy={isPending}
      aria-disabled={isOff || undefined}
      {...rest}
      onClick={isOff ? (event) => event.preventDefault() : onClick}
    >
      {icon && <Icon name={icon} />}
      {children}
      {isPending && <span className="spinner" aria-hidden="true" />}
    </button>
  )
}

export function ButtonLink({ look = 'secondary', icon, children, ...rest }: LinkProps) {
  return (
    <Link className={`button ${look}`} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  )
}

type LinkProps = ComponentProps<typeof Link> & ButtonLook
