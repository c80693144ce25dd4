import { createMailer } from './checking/mailer.ts'
import { type Database, openDatabase } from './database.ts'
import { type EnvironmentName, startEnvironment } from './environment.ts'
import { healthCheckRows } from './health-check-rows.ts'
import { SEED_BEHAVIOURS } from './seed/checks.ts'
import { type Lab, startLab, TARGETS } from './seed/lab.ts'
import { seedOnce } from './seed/seed.ts'

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

const ENVIRONMENTS: readonly EnvironmentName[] = ['production', 'ote']

export const DEFAULT_TOKEN = 'sandbox-token'

/**
 * The vendor's service, both environments, on 127.0.0.1. The seed holds 53 checks (14 in OTE) with the uuids
 * `5eed0000-0000-4000-8000-000000000001` and on (OTE: `5eed0001-…`), and threat events `7e57ed00-0000-4000-8000-000000000001`
 * to `…010` (OTE: 1, 2, 7), of which 7 to 10 are hostile: markup, bidi and control characters, huge WHOIS, 450 records. Throws when a port is taken or the file is no data of a sandbox;
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
  if (seed) for (const name of ENVIRONMENTS) seedOnce(db, name, new Date())
  if (checking && hasLabChecks(db)) movePorts(db, started.use(await startLab(SEED_BEHAVIOURS)))
  const start = async (name: EnvironmentName, at: number) =>
    started.use(await startEnvironment({ name, port: at, token, db, checking, mailer }))
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

/** The local targets listen on other ports in each run: what is shown is what is checked. */
function movePorts(db: Database, { ports }: Lab): void {
  for (const name of ENVIRONMENTS)
    for (const target of TARGETS) healthCheckRows(db, name).movePort(target, ports[target])
}
