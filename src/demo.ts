import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { type Playground, startPlayground } from '@signalman/playground'
import { createDriver } from '@signalman/playground/driver'
import { LAB_CA_CERTIFICATE, startSandbox } from '@signalman/sandbox/src/index.ts'
import { startApp } from './app.ts'
import { readConfig } from './config.ts'
import { createFaultPanel } from './demo/fault-panel.ts'
import { findOrderPath, requestOrder } from './demo/order.ts'
import { DEMO_OUTAGES, scheduleOutages, watchOperations } from './demo/outage.ts'
import { grantAllRoles, WORKSPACE } from './demo/seed.ts'
import { createTour, EARLIER_MESSAGES } from './demo/tour.ts'
import { createLog } from './log.ts'

const MANIFEST = join(import.meta.dirname, '../manifest.yml')
const SIGNING_SECRET = 'demo-signing-secret'
const PAGE_PORT = Number(process.env.PORT ?? 3100)

const HELP = `npm run demo starts Signalman between a playground Slack and a sandbox service, all on this machine and in memory, and prints the
address of the page to open. It needs no account, and takes no options.

  PORT=3200 npm run demo        serves the page on another port (default: 3100)
  LOG_LEVEL=debug npm run demo  logs what the app does (default: warn)
`

/** Starts the real app between the sandbox service and the playground Slack, all on this machine and in memory. */
async function startDemo(): Promise<AsyncDisposable & { page: string }> {
  // Like NODE_EXTRA_CA_CERTS for an operator whose targets use their own certificate authority.
  setDefaultCACertificates([...getCACertificates('default'), LAB_CA_CERTIFICATE])
  await using started = new AsyncDisposableStack()
  const sandbox = started.use(await startSandbox())
  const tour = createTour()
  const playground: Playground = started.use(
    await startPlayground({
      port: PAGE_PORT,
      // Replaced below, once the app listens: the app needs the playground's address first.
      appUrl: 'http://127.0.0.1:9',
      signingSecret: SIGNING_SECRET,
      manifestPath: MANIFEST,
      levels: ['slack', 'careful'],
      messages: EARLIER_MESSAGES,
      panels: [
        tour,
        createFaultPanel(sandbox, (...faults) => createDriver(playground.url).faults(...faults)),
      ],
    }),
  )
  const config = readConfig({
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    SLACK_BOT_TOKEN: playground.botToken,
    SLACK_API_URL: playground.apiUrl,
    API_BASE_URL: sandbox.productionUrl,
    API_OTE_BASE_URL: sandbox.oteUrl,
    API_TOKEN: sandbox.token,
    API_OTE_TOKEN: sandbox.token,
    API_SERVER_ADDRESSES: 'given',
    API_OTE_SERVER_ADDRESSES: 'given',
    DATABASE_URL: 'sqlite::memory:',
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
    // Poll often: nobody who tries the demo wants to wait a minute for a card.
    WATCH_INTERVAL_SECONDS: '2',
  })
  const app = started.use(await startApp({ config, log: createLog(config.logLevel) }))
  playground.setAppUrl(app.url)
  await grantAllRoles(app.store)
  const driver = createDriver(playground.url)
  await requestOrder(driver)
  const order = await findOrderPath(driver)
  await watchOperations(driver, async () => {
    const status = await app.store.watching.history.findPollStatus(WORKSPACE, 'production')
    return (status?.polls ?? 0) > 0
  })
  started.use(scheduleOutages(sandbox, DEMO_OUTAGES))
  tour.start(`<${playground.url}${order}|the order>`)
  const resources = started.move()
  return { page: playground.url, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

const [flag] = process.argv.slice(2)
if (flag === '--help' || flag === '-h') {
  process.stdout.write(HELP)
  process.exit(0)
}
if (flag !== undefined) {
  process.stderr.write(`npm run demo has no option ${flag}. To use another port: PORT=3200 npm run demo\n`)
  process.exit(2)
}
if (!Number.isInteger(PAGE_PORT) || PAGE_PORT < 0 || PAGE_PORT > 65_535) {
  process.stderr.write(`PORT=${process.env.PORT} isn’t a port. Choose one: PORT=3200 npm run demo\n`)
  process.exit(2)
}
const running = await startDemo().catch((error: unknown) => {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
  process.stderr.write(`Port ${PAGE_PORT} is in use. Choose another: PORT=3200 npm run demo\n`)
  process.exit(1)
})
process.stdout.write(
  `\nSignalman is running with a playground Slack and a sandbox service, all on this machine.\n\n  Open ${running.page} and follow the tour, or type /hc\n\nStop it with Ctrl-C.\n`,
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await running[Symbol.asyncDispose]()
    process.exit(0)
  })
}
