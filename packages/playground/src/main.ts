import { readFlags, USAGE } from './program/flags.ts'
import { type Playground, startPlayground } from './program/start.ts'

function announce({ url, apiUrl, botToken }: Playground): void {
  process.stdout.write(`Playground: ${url}/  (Web API ${apiUrl}, bot token ${botToken})\n`)
}

/** Stops the playground and exits on SIGTERM or SIGINT. Ignores further signals. */
function stopOnSignals(playground: Playground): void {
  let isStopping = false
  const stopOnce = () => {
    if (isStopping) return
    isStopping = true
    playground[Symbol.asyncDispose]().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', stopOnce)
  process.on('SIGINT', stopOnce)
}

async function main(): Promise<void> {
  const { options, wantsHelp } = readFlags(process.argv.slice(2))
  if (wantsHelp) {
    process.stdout.write(USAGE)
    return
  }
  const playground = await startPlayground(options)
  announce(playground)
  stopOnSignals(playground)
}

function formatError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const isPortTaken = 'code' in error && error.code === 'EADDRINUSE'
  return isPortTaken
    ? 'That port is in use. Choose another one with --port, or use --port 0 for any free port.'
    : error.message
}

main().catch((error: unknown) => {
  process.stderr.write(`${formatError(error)}\n${USAGE}`)
  process.exit(1)
})
