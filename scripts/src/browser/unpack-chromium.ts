import chromium from '@sparticuz/chromium'

// A process of its own: the package unpacks to wherever its process has its temporary files.
await chromium.executablePath()
