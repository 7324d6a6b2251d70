import { Page as Frame } from '../../parts/layout/page.tsx'

export function Page() {
  return <Frame title="Soon">Soon</Frame>
}
