import { openBrowser } from './open-browser.ts'

// Whether a browser starts here: a failure is the exit code.
const browser = await openBrowser(process.env)
await browser.close()
