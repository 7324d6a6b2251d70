// A process of its own: the package unpacks to wherever its process has its temporary files. Its
// address is an argument, because only tests install it.
const [address = ''] = process.argv.slice(2)
const { default: chromium } = (await import(address)) as {
  default: { executablePath(): Promise<string> }
}
await chromium.executablePath()
