/** The method of an operation. Its colour repeats what the text says. */
export function MethodBadge({ method }: { method: string }) {
  return (
    <span className="method" data-method={method}>
      {method}
    </span>
  )
}
