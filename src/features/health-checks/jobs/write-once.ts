import type { Found } from '@signalman/durable'
import type { ActSteps, AuditedStep } from '../../../bot/routes/command-context.ts'
import type { HealthCheck, HealthCheckBody } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import type { Edit, Fields, StepRecord } from '../rules/change.ts'
import { type Decision, decide, settleBegun } from '../rules/decide.ts'
import type { AddressListing } from '../rules/server-address.ts'
import { auditDetails } from './audit-details.ts'
import { lookUpStep, namesakes } from './read-check.ts'
import { type Sent, send } from './send.ts'

// Creates or edits a single check from a window. Whoever resumes after a crash looks up the outcome.

type AuditContext = Pick<AuditedStep<Sent>, 'verb' | 'environment'>

/** Edits one check. Returns the decision if nothing had to be sent. Throws the errors of `ActSteps.change`. */
export async function editOnce(
  context: ActSteps,
  api: Api,
  step: Edit,
  listing: AddressListing,
  what: AuditContext,
): Promise<{ decision: Decision; check?: HealthCheck | undefined }> {
  // Stored, because after a crash the check may have been changed already.
  const decision = await context.keep('decided', async () =>
    decide({ step }, (await lookUpStep(api, { step }, { listing })).look),
  )
  if (decision.is === 'settled') return { decision }
  const { record, requests } = decision
  const lookUp = async (): Promise<Found<Sent>> => lookUpEdit(record, api, listing)
  const sent = await context.change<Sent>({ ...what, ...auditDetails(record), lookUp }, () =>
    send(api, requests, new Map()),
  )
  return { decision, check: sent.check }
}

async function lookUpEdit(record: StepRecord, api: Api, listing: AddressListing): Promise<Found<Sent>> {
  const { look } = await lookUpStep(api, record, { listing })
  const { state } = settleBegun(record, look)
  if (state === 'done') return { outcome: { uuid: look.now?.uuid, refusedAlerts: [] } }
  return state === 'ready' ? 'not-done' : 'unknown'
}

/** Creates one check. After a crash, identical checks that existed before aren't mistaken for it. */
export async function createOnce(
  context: ActSteps,
  api: Api,
  body: HealthCheckBody,
  what: AuditContext,
): Promise<HealthCheck> {
  const fields = toFields(body)
  const alike = async (): Promise<string[]> =>
    (await namesakes(api.healthChecks, fields))
      .filter((check) => isAlike(check, body))
      .map(({ uuid }) => uuid)
  const before = await context.keep('alike', alike)
  const record: StepRecord = { step: { do: 'create', line: 1, name: body.name, to: { fields, alerts: [] } } }
  const audited = {
    ...what,
    ...auditDetails(record),
    after: (sent: Sent | undefined) => auditDetails({ ...record, uuid: sent?.uuid }).after,
  }
  const sent = await context.change<Sent>(
    {
      ...audited,
      lookUp: async () => {
        const uuid = (await alike()).find((one) => !before.includes(one))
        return uuid === undefined ? 'not-done' : { outcome: { uuid, refusedAlerts: [] } }
      },
    },
    () => send(api, [{ method: 'create', fields }], new Map()),
  )
  const { uuid = '' } = sent
  return sent.check ?? (await api.healthChecks.get(uuid))
}

const toFields = ({ httpServerAddress: ip, ...body }: HealthCheckBody): Fields => ({
  ...body,
  address:
    body.protocol === 'TCP' ? { is: 'none' } : ip === undefined ? { is: 'resolve' } : { is: 'given', ip },
})

/** Compares what the listing shows of every check. */
const isAlike = (check: HealthCheck, { protocol, target, port, frequency }: HealthCheckBody): boolean =>
  check.protocol?.toUpperCase() === protocol.toUpperCase() &&
  check.target?.toLowerCase() === target.toLowerCase() &&
  check.port === port &&
  check.frequency === frequency
