import { parseArgs } from 'node:util'
import { describeFindings, readEnvFile, runChecks, say, writeReport } from './findings.ts'
import { readChecks, writeChecks } from './service-checks.ts'
import { createService, type ServiceAccess } from './service-client.ts'

const FILE = 'signalman-service.json'
const USAGE = `Asks the service what Signalman assumes about it, and says what differs. Only reads.

  API_TOKEN=… npm run try:service -- --base https://…

Without --base, it uses API_BASE_URL. It also reads .env in this folder.

  --event ID    also reads this threat event
  --write       also creates a health check in OTE, changes it, and deletes it. Needs API_OTE_BASE_URL and API_OTE_TOKEN.
                Orders and tokens are never created.`

export interface TryServiceOptions extends ServiceAccess {
  eventId?: string | undefined
  /** Where to write: the test environment. */
  ote?: ServiceAccess | undefined
}

export async function tryService({ eventId, ote, ...access }: TryServiceOptions) {
  const findings = await runChecks(readChecks(createService(access), access.token, eventId), String)
  if (!ote) return { findings, isClean: true }
  const { checks, cleanUp } = writeChecks(createService(ote))
  const written = await runChecks(checks, String)
  return { findings: [...findings, ...written], isClean: await cleanUp().catch(() => false) }
}

async function main(): Promise<void> {
  const flags = { base: { type: 'string' }, event: { type: 'string' }, write: { type: 'boolean' } } as const
  const { values } = parseArgs({ options: flags })
  readEnvFile()
  const { API_TOKEN: token, API_OTE_BASE_URL: oteBase, API_OTE_TOKEN: oteToken } = process.env
  const base = values.base ?? process.env.API_BASE_URL
  if (!base || !token || (values.write && !(oteBase && oteToken && oteBase !== base))) {
    say(USAGE)
    process.exitCode = 2
    return
  }
  const ote = values.write && oteBase && oteToken ? { base: oteBase, token: oteToken } : undefined
  const { findings, isClean } = await tryService({ base, token, eventId: values.event, ote })
  writeReport(FILE, { findings }, [token, oteToken, base, oteBase, values.event])
  for (const line of describeFindings(findings)) say(line)
  if (!isClean) say('The health check signalman-try-… may still be in OTE. Delete it.')
  say(`Wrote ${FILE}, with names of fields, and no data. Look through it, and attach it to an issue.`)
  process.exitCode = findings.every(({ result }) => result !== 'different') ? 0 : 1
}

if (import.meta.main) {
  await main().catch((error: unknown) => {
    say(String(error))
    process.exitCode = 1
  })
}
