type Page = Partial<{
  addEventListener(type: string, listener: () => void): void
  removeEventListener(type: string, listener: () => void): void
}>

/** Tells when the page goes, and when the browser shows it again. */
export function followPage(visitor: {
  leave(): Promise<void>
  comeBack(): Promise<void>
}): () => void {
  const page = globalThis as Page
  const onHide = () => void visitor.leave()
  const onShow = () => void visitor.comeBack()
  page.addEventListener?.('pagehide', onHide)
  page.addEventListener?.('pageshow', onShow)
  return () => {
    page.removeEventListener?.('pagehide', onHide)
    page.removeEventListener?.('pageshow', onShow)
  }
}
