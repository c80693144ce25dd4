import type { LookupResult } from '@signalman/durable'
import type { ActSteps, AuditedStep } from '../../../bot/routes/command-context.ts'
import type { HealthCheck, HealthCheckBody } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import type { AddressSource } from '../rows/known-addresses.ts'
import type { Edit, Fields, Request, StepRecord } from '../rules/change.ts'
import { type Decision, decide, settleBegun } from '../rules/decide.ts'
import { buildAuditDetails } from './audit-details.ts'
import { findNamesakes, lookUpStep } from './read-check.ts'
import { type SendResult, sendRequests, type WrittenAddress } from './send.ts'

// Creates or edits a single check exactly once. After a crash, looks up whether the request was carried out.

type AuditContext = Pick<AuditedStep<SendResult>, 'verb' | 'environment'>

/** Edits one check. `check` is undefined if nothing had to be sent. Throws the errors of `ActSteps.change`. */
export async function editOnce(
  context: ActSteps,
  api: Api,
  step: Edit,
  addresses: AddressSource,
  audit: AuditContext,
): Promise<{ decision: Decision; check?: HealthCheck | undefined }> {
  // Stored, because after a crash the check may have been changed already.
  const decision = await context.remember('decided', async () =>
    decide({ step }, (await lookUpStep(api, { step }, { addresses })).lookup),
  )
  if (decision.is === 'settled') return { decision }
  const { record, requests } = decision
  const lookUp = async (): Promise<LookupResult<SendResult>> => lookUpEdit(record, api, addresses)
  const sent = await context.change<SendResult>({ ...audit, ...buildAuditDetails(record), lookUp }, () =>
    sendAndSave(api, requests, addresses),
  )
  return { decision, check: sent.check }
}

async function sendAndSave(
  api: Api,
  requests: readonly Request[],
  addresses: AddressSource,
): Promise<SendResult> {
  const written: WrittenAddress[] = []
  const sent = await sendRequests(api, requests, new Map(), {
    onWritten: (addresses) => written.push(...addresses),
  })
  await addresses.saveWritten(written)
  return sent
}

async function lookUpEdit(
  record: StepRecord,
  api: Api,
  addresses: AddressSource,
): Promise<LookupResult<SendResult>> {
  const { lookup } = await lookUpStep(api, record, { addresses })
  const { state } = settleBegun(record, lookup)
  if (state === 'done') return { outcome: { uuid: lookup.current?.uuid, refusedAlerts: [] } }
  return state === 'ready' ? 'not-done' : 'unknown'
}

/**
 * Creates one check. Stores which identical checks existed before, so that a lookup after a crash doesn't mistake one of them for the
 * new check.
 */
export async function createOnce(
  context: ActSteps,
  api: Api,
  body: HealthCheckBody,
  addresses: AddressSource,
  audit: AuditContext,
): Promise<HealthCheck> {
  const fields = toFields(body)
  const findIdentical = async (): Promise<string[]> =>
    (await findNamesakes(api.healthChecks, fields))
      .filter((check) => hasSameSettings(check, body))
      .map(({ uuid }) => uuid)
  const existing = await context.remember('alike', findIdentical)
  const record: StepRecord = { step: { do: 'create', line: 1, name: body.name, to: { fields, alerts: [] } } }
  const audited = {
    ...audit,
    ...buildAuditDetails(record),
    after: (sent: SendResult | undefined) => buildAuditDetails({ ...record, uuid: sent?.uuid }).after,
  }
  const sent = await context.change<SendResult>(
    {
      ...audited,
      lookUp: async () => {
        const uuid = (await findIdentical()).find((found) => !existing.includes(found))
        return uuid === undefined ? 'not-done' : { outcome: { uuid, refusedAlerts: [] } }
      },
    },
    () => sendAndSave(api, [{ method: 'create', fields }], addresses),
  )
  const { uuid = '' } = sent
  return sent.check ?? (await api.healthChecks.get(uuid))
}

function toFields({ httpServerAddress: ip, ...body }: HealthCheckBody): Fields {
  if (body.protocol === 'TCP') return { ...body, address: { is: 'none' } }
  return { ...body, address: ip === undefined ? { is: 'resolve' } : { is: 'set', ip } }
}

/** Compares only the fields that the listing shows for every check. */
const hasSameSettings = (
  check: HealthCheck,
  { protocol, target, port, frequency }: HealthCheckBody,
): boolean =>
  check.protocol?.toUpperCase() === protocol.toUpperCase() &&
  check.target?.toLowerCase() === target.toLowerCase() &&
  check.port === port &&
  check.frequency === frequency
