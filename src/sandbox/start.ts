import { openDatabase } from './database.ts'
import { type EnvironmentOptions, startEnvironment } from './environment.ts'
import { createMailer } from './mailer.ts'

export interface SandboxOptions {
  /** Production; OTE is on the next port. Two free ports without it. */
  port?: number
  /** The SQLite file; in memory without it. */
  data?: string
  /** The token that is valid from the start in both environments. */
  token?: string
  /** Fills each environment with something worth looking at, once per data file. */
  seed?: boolean
  /** Really checks the targets on schedule; without it statuses change only by hand. */
  checking?: boolean
  /** Where alerts are mailed through, e.g. `smtp://127.0.0.1:1025`. */
  smtpUrl?: string
}

export interface Sandbox extends AsyncDisposable {
  /** Base addresses without a trailing slash. */
  productionUrl: string
  oteUrl: string
  token: string
}

export const DEFAULT_TOKEN = 'sandbox-token'

/**
 * The vendor's service, both environments, on 127.0.0.1. Throws when a port is taken or the file is no data of a sandbox;
 * nothing is left running then.
 */
export async function startSandbox({
  port = 0,
  data,
  token = DEFAULT_TOKEN,
  seed = true,
  checking = true,
  smtpUrl,
}: SandboxOptions = {}): Promise<Sandbox> {
  await using started = new AsyncDisposableStack()
  const db = started.use(openDatabase(data))
  const mailer = started.use(createMailer(smtpUrl))
  const start = async (name: EnvironmentOptions['name'], at: number) =>
    started.use(await startEnvironment({ name, port: at, token, db, seed, checking, mailer }))
  const production = await start('production', port)
  const ote = await start('ote', port === 0 ? 0 : port + 1)
  const running = started.move()
  return {
    productionUrl: production.url,
    oteUrl: ote.url,
    token,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
