import { rootCause } from '@signalman/runtime'
import { examineService } from '../../src/doctor/service.ts'
import {
  describeFindings,
  describeMissing,
  explainStart,
  type Finding,
  readArguments,
  readVariables,
  runChecks,
  say,
  writeReport,
} from './findings.ts'
import { readChecks } from './service-checks.ts'
import { createService, type ServiceAccess } from './service-client.ts'

const FILE = 'signalman-service.json'
const USAGE = `Asks the service what Signalman assumes about it, and says what differs. Only reads.

  API_TOKEN=… npm run try:service -- --base https://…

Without --base, it uses API_BASE_URL. It also reads .env in this folder.

  --event ID    also reads this threat event`

/** Throws if the service can't be reached, or doesn't take the token: then nothing is known of it. */
export async function tryService({
  eventId,
  ...access
}: ServiceAccess & { eventId?: string | undefined }): Promise<Finding[]> {
  const service = createService(access)
  await service.list({ limit: 1 }).catch(async (error: unknown) => {
    const { base: baseUrl, token } = access
    const tokens = { production: token }
    const examined = examineService({ service: { baseUrl, oteBaseUrl: undefined, tokens } }, undefined)
    throw new Error(await explainStart(rootCause(error), examined))
  })
  return runChecks(readChecks(service, access.token, eventId), String)
}

async function main(): Promise<void> {
  const options = { base: { type: 'string' }, event: { type: 'string' } } as const
  const { values } = readArguments({ options }, USAGE)
  const { API_TOKEN: token, API_BASE_URL } = readVariables()
  const base = values.base ?? API_BASE_URL
  if (!base || !token) {
    say(describeMissing({ 'API_BASE_URL or --base': base, API_TOKEN: token }, USAGE))
    process.exitCode = 2
    return
  }
  if (!URL.canParse(base)) throw new Error('The address of the service begins with https://.')
  const findings = await tryService({ base, token, eventId: values.event })
  for (const line of describeFindings(findings)) say(line)
  writeReport(FILE, { findings }, [token, base, values.event])
  say(`Wrote ${FILE}, with names of fields, and no data. Look through it, and attach it to an issue.`)
  process.exitCode = findings.every(({ result }) => result !== 'different') ? 0 : 1
}

if (import.meta.main) {
  await main().catch((error: unknown) => {
    say(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  })
}
