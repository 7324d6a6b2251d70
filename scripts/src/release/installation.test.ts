import { expect, it } from '@jest/globals'
import { tarballOf, withInstallation } from './installation.ts'

const marker = '[//install]: # (@surehook/receiver express)'
const page = `# Page\n\n${marker}\n\nold\n\n\`\`\`bash\nold\n\`\`\`\n\n\`\`\`bash\nnode x\n\`\`\`\n`

it('installs from the registry once the packages are published', () => {
  const published = withInstallation(page, true)
  expect(published).toBe(
    `# Page\n\n${marker}\n\n\`\`\`bash\nnpm install @surehook/receiver express\n\`\`\`\n\n\`\`\`bash\nnode x\n\`\`\`\n`,
  )
  expect(withInstallation(published, true)).toBe(published)
})

it('installs from a clone before', () => {
  const before = withInstallation(page, false)
  expect(before).toContain('Nothing of Surehook is on npm yet.')
  expect(before).toContain(
    'npm install $CLONE/.local/packages/surehook-receiver.tgz express\n```\n\n```bash\nnode x\n```\n',
  )
  expect(before).not.toContain('\nold\n')
  expect(withInstallation(withInstallation(page, true), false)).toBe(before)
})

it('keeps options of npm, and a page without a marker', () => {
  const command = '[//install]: # (--global surehook)\n\n```bash\nx\n```\n'
  expect(withInstallation(command, true)).toContain('npm install --global surehook\n')
  expect(withInstallation(command, false)).toContain(
    'npm install --global $CLONE/.local/packages/surehook.tgz\n',
  )
  expect(withInstallation('```bash\nx\n```\n', false)).toBe('```bash\nx\n```\n')
})

it('names the archive of each package', () => {
  expect(tarballOf('surehook')).toBe('.local/packages/surehook.tgz')
  expect(tarballOf('@surehook/token-verifier')).toBe('.local/packages/surehook-token-verifier.tgz')
})
