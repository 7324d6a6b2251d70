import { type RefObject, useEffect } from 'react'

/** Marks the parent of a region while the region hides something at its right: `data-is-cut`. */
export function useCutHint(region: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = region.current
    if (element === null) return
    const mark = () => {
      const hidden = element.scrollWidth - element.clientWidth - element.scrollLeft
      element.parentElement?.toggleAttribute('data-is-cut', hidden > 1)
    }
    const sizes = new ResizeObserver(mark)
    sizes.observe(element)
    for (const child of element.children) sizes.observe(child)
    element.addEventListener('scroll', mark, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', mark)
    }
  }, [region])
}
