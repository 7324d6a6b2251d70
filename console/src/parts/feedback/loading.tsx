import { useEffect, useState } from 'react'
import './loading.css'

const quickMs = 150

/** Lines where content will be. They appear only if the answer is not there at once. */
export function Loading({ lines = 4, label = 'Loading' }: { lines?: number; label?: string }) {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), quickMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="loading" role="status" aria-busy="true">
      <span className="visually-hidden">{label}</span>
      {isSlow && Array.from({ length: lines }, (_, index) => <span key={index} />)}
    </div>
  )
}
