import { openBrowser } from './open-browser.ts'

// The exit code says whether a browser starts here.
const browser = await openBrowser(process.env)
await browser.close()
