import packageJson from '../package.json' with { type: 'json' }
import { readFlags, USAGE } from './program/flags.ts'
import { runWithApp } from './program/run.ts'
import { type Playground, startPlayground } from './program/start.ts'

type Stop = () => Promise<number>

function announce({ url, apiUrl, botToken }: Playground): void {
  process.stdout.write(`Playground: ${url}/  (Web API ${apiUrl}, bot token ${botToken})\n`)
}

/** Stops the playground and exits on SIGTERM or SIGINT. Ignores further signals. */
function stopOnSignals(stop: Stop): void {
  let isStopping = false
  const stopOnce = () => {
    if (isStopping) return
    isStopping = true
    stop().then(
      (code) => process.exit(code),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', stopOnce)
  process.on('SIGINT', stopOnce)
}

async function main(): Promise<void> {
  if (process.argv[2] === '--version') {
    process.stdout.write(`signalman-playground ${packageJson.version}\n`)
    return
  }
  const { options, command, wantsHelp } = readFlags(process.argv.slice(2))
  if (wantsHelp) {
    process.stdout.write(USAGE)
    return
  }
  if (command.length === 0) {
    const playground = await startPlayground(options)
    announce(playground)
    stopOnSignals(async () => {
      await playground[Symbol.asyncDispose]()
      return 0
    })
    return
  }
  const running = await runWithApp(options, command)
  announce(running.playground)
  // Ignores the rejection if the app exits early, because that is reported below.
  running.ready().then(
    () => process.stdout.write('The app is ready.\n'),
    () => undefined,
  )
  stopOnSignals(async () => {
    await running[Symbol.asyncDispose]()
    return 0
  })
  const exit = await running.describeExit()
  const warning = `${exit}\nThe conversation and its requests are still here. Press Ctrl-C to stop the playground.`
  process.stderr.write(`${warning}\n`)
  running.playground.warn(warning, true)
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
