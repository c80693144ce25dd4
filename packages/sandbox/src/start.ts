import { openDatabase } from './database.ts'
import { type EnvironmentName, startEnvironment } from './environment.ts'
import { seedOnce } from './seed/seed.ts'

export interface SandboxOptions {
  /** Production's port. OTE uses the next one. By default, both get a free port. */
  port?: number
  /** The SQLite file. In memory by default. */
  data?: string
  /** The token that is valid in both environments from the start. */
  token?: string
  /** Adds example data to each environment, once per data file. */
  seed?: boolean
  /** Every seeded check is up. By default, some are down or are being installed. */
  healthy?: boolean
  /** A new check is up after a second. If false, it stays INSTALLING. All other changes of a status are made with the controls. */
  checking?: boolean
}

export interface Sandbox extends AsyncDisposable {
  /** Base URLs without a trailing slash. */
  productionUrl: string
  oteUrl: string
  token: string
}

const ENVIRONMENTS: readonly EnvironmentName[] = ['production', 'ote']

export const DEFAULT_TOKEN = 'sandbox-token'

/**
 * Starts a stand-in for the service on 127.0.0.1, with both environments. Throws if a port is in use or the file isn't a sandbox's data
 * file, and then leaves nothing running.
 *
 * The example data has fixed IDs. The 53 checks (14 in OTE) are numbered from `5eed0000-0000-4000-8000-000000000001` (OTE:
 * `5eed0001-…`). The threat events are `7e57ed00-0000-4000-8000-000000000001` to `…010` (OTE: 1, 2, and 7). Events 7 to 10 are hostile:
 * markup, bidirectional and control characters, huge WHOIS data, and 450 DNS records.
 */
export async function startSandbox({
  port = 0,
  data,
  token = DEFAULT_TOKEN,
  seed = true,
  healthy = false,
  checking = true,
}: SandboxOptions = {}): Promise<Sandbox> {
  await using started = new AsyncDisposableStack()
  const db = started.use(openDatabase(data))
  if (seed) for (const name of ENVIRONMENTS) seedOnce(db, name, new Date(), healthy)
  const start = async (name: EnvironmentName, port: number) =>
    started.use(await startEnvironment({ name, port, token, db, checking }))
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
