import { createMailer } from './checking/mailer.ts'
import { type Database, openDatabase } from './database.ts'
import { type EnvironmentName, startEnvironment } from './environment.ts'
import { createHealthCheckRows } from './health-check-rows.ts'
import { SEED_BEHAVIORS } from './seed/checks.ts'
import { LAB_TARGETS, type Lab, startLab } from './seed/lab.ts'
import { seedOnce } from './seed/seed.ts'

export interface SandboxOptions {
  /** Production's port. OTE is on the next one. Two free ports by default. */
  port?: number
  /** The SQLite file. In memory by default. */
  data?: string
  /** The token that is valid in both environments from the start. */
  token?: string
  /** Fills each environment with example data, once per data file. */
  seed?: boolean
  /** Runs the checks on schedule. Otherwise, statuses only change manually. */
  checking?: boolean
  /** The SMTP server for alerts, such as `smtp://127.0.0.1:1025`. */
  smtpUrl?: string
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
 * Starts a stand-in for the service on 127.0.0.1, with both environments. The seed has 53 checks (14 in OTE) with the
 * uuids `5eed0000-0000-4000-8000-000000000001` and following (OTE: `5eed0001-…`), and threat events
 * `7e57ed00-0000-4000-8000-000000000001` to `…010` (OTE: 1, 2, 7). Events 7 to 10 are hostile: markup, bidi and control
 * characters, huge WHOIS data, 450 records. Throws if a port is in use or the file isn't a sandbox's data file, and then leaves
 * nothing running.
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
  if (seed) for (const name of ENVIRONMENTS) seedOnce(db, name, new Date())
  if (checking && hasLabChecks(db)) updateLabPorts(db, started.use(await startLab(SEED_BEHAVIORS)))
  const start = async (name: EnvironmentName, port: number) =>
    started.use(await startEnvironment({ name, port, token, db, checking, mailer }))
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

function hasLabChecks(db: Database): boolean {
  return db.get('SELECT 1 FROM health_check WHERE lab IS NOT NULL LIMIT 1') !== undefined
}

/** The local targets use other ports in each run, so update the checks to match. */
function updateLabPorts(db: Database, { ports }: Lab): void {
  for (const name of ENVIRONMENTS)
    for (const target of LAB_TARGETS) createHealthCheckRows(db, name).setLabPort(target, ports[target])
}
