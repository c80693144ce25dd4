const PAGE_PORT = Number(process.env.PORT ?? 3100)

const HELP = `npm run demo starts Signalman between a playground Slack and a sandbox service, all on this machine and in memory, and prints the
address of the page to open. It needs no account, and takes no options.

  PORT=3200 npm run demo        serves the page on another port (default: 3100)
  LOG_LEVEL=debug npm run demo  logs what the app does (default: error)
`

if (process.argv.length > 2) {
  process.stdout.write(HELP)
  process.exit(process.argv[2] === '--help' ? 0 : 2)
}
if (!Number.isInteger(PAGE_PORT) || PAGE_PORT < 0 || PAGE_PORT > 65_535) {
  process.stderr.write(`PORT=${process.env.PORT} isn’t a port. Choose one: PORT=3200 npm run demo\n`)
  process.exit(2)
}
// Imported only now, so that the help and a wrong port are answered right away.
const { startDemo } = await import('./start.ts')
const logLevel = process.env.LOG_LEVEL ?? 'error'
const running = await startDemo({ port: PAGE_PORT, logLevel }).catch((error: unknown) => {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
  process.stderr.write(`Port ${PAGE_PORT} is in use. Choose another: PORT=3200 npm run demo\n`)
  process.exit(1)
})
process.stdout.write(
  `\nSignalman is running with a playground Slack and a sandbox service, all on this machine.\n\n  Open ${running.page}\n\nStop it with Ctrl-C.\n`,
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await running[Symbol.asyncDispose]()
    process.exit(0)
  })
}
