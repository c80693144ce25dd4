import type { Found } from '@signalman/durable'
import type { ActSteps, AuditedStep } from '../../../bot/routes/command-context.ts'
import type { HealthCheck, HealthCheckBody } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import type { Edit, Fields, StepRecord } from '../rules/change.ts'
import { type Decision, decide, settleBegun } from '../rules/decide.ts'
import type { AddressListing } from '../rules/server-address.ts'
import { auditDetails } from './audit-details.ts'
import { lookFor, namesakes } from './read-check.ts'
import { type Sent, send } from './send.ts'

// A single check that a window creates or edits: one step of an act, looked up by whoever goes on after a crash.

type What = Pick<AuditedStep<Sent>, 'verb' | 'environment'>

/** Edits one check. Returns what was decided where nothing had to be sent. Throws what `ActSteps.change` throws. */
export async function editOnce(
  context: ActSteps,
  api: Api,
  step: Edit,
  listing: AddressListing,
  what: What,
): Promise<{ decision: Decision; check?: HealthCheck | undefined }> {
  // Kept as it was: begun again after a crash, the check may be changed already.
  const decision = await context.keep('decided', async () =>
    decide({ step }, (await lookFor(api, { step }, { listing })).look),
  )
  if (decision.is === 'settled') return { decision }
  const { record, requests } = decision
  const lookUp = async (): Promise<Found<Sent>> => found(record, api, listing)
  const sent = await context.change<Sent>({ ...what, ...auditDetails(record), lookUp }, () =>
    send(api, requests, new Map()),
  )
  return { decision, check: sent.check }
}

async function found(record: StepRecord, api: Api, listing: AddressListing): Promise<Found<Sent>> {
  const { look } = await lookFor(api, record, { listing })
  const { state } = settleBegun(record, look)
  if (state === 'done') return { outcome: { uuid: look.now?.uuid, lost: [] } }
  return state === 'ready' ? 'not-done' : 'unknown'
}

/** Creates one check: those just like it that were there before are not taken for it. */
export async function createOnce(
  context: ActSteps,
  api: Api,
  body: HealthCheckBody,
  what: What,
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
        return uuid === undefined ? 'not-done' : { outcome: { uuid, lost: [] } }
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

/** What a listing shows of every check. */
const isAlike = (check: HealthCheck, { protocol, target, port, frequency }: HealthCheckBody): boolean =>
  check.protocol?.toUpperCase() === protocol.toUpperCase() &&
  check.target?.toLowerCase() === target.toLowerCase() &&
  check.port === port &&
  check.frequency === frequency
