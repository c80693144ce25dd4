import type { Found } from '@signalman/durable'
import type { ActSteps, AuditDetails, AuditedStep } from '../../../bot/routes/command-context.ts'
import { ApiError } from '../../../service/errors.ts'
import type { Api } from '../../../service/service.ts'
import { bodyOf, missingFrom } from './alert-lists.ts'
import type { Change, Creation, Edit } from './change.ts'
import { differing, picked } from './differences.ts'
import { alike, carryOut, type Made, type Prepared, prepare, saidBy } from './make-change.ts'

/** What the audit log says of a change: of an edit, what it changes and no more. */
export function detailsOf(
  change: Change,
  uuid?: string,
): Pick<AuditDetails, 'object' | 'objectName' | 'before' | 'after'> {
  if (change.do === 'create') {
    const { body, alerts } = change
    const after = { ...(uuid && { uuid }), ...body, ...(alerts.length > 0 && { alerts }) }
    return { object: `health-check ${body.name}`, after }
  }
  const of = { object: `health-check ${change.uuid}`, objectName: change.name }
  if (change.do === 'edit') return { ...of, ...editDetails(change) }
  const { before, name } = change
  return { ...of, before: before ? { ...before.fields, alerts: before.alerts } : { name } }
}

function editDetails({ name, before, after, patch, alerts }: Edit) {
  if (!before || !after) return { after: { name, ...patch } }
  const changed = differing(before.fields, after.fields)
  return {
    before: { name, ...picked(before.fields, changed), ...(alerts && { alerts: before.alerts }) },
    after: { name, ...picked(after.fields, changed), ...(alerts && { alerts: after.alerts }) },
  }
}

/**
 * Makes a prepared change as one step of an act; whoever goes on with it after a crash asks the service whether it was made.
 * A check that is there without all of its alerts is made: those that could not be made are named. Throws what
 * `ActSteps.change` throws.
 */
export function makeOnce(
  context: ActSteps,
  api: Api,
  ready: Extract<Prepared, { state: 'ready' }>,
  what: Pick<AuditedStep<Made>, 'verb' | 'environment' | 'only'>,
): Promise<Made> {
  const { change } = ready
  const { after, ...details } = detailsOf(change)
  const audited = { ...what, ...details, after: made(change) }
  return context.change<Made>({ ...audited, lookUp: () => lookUp(api, change) }, async () => {
    let uuid: string | undefined
    try {
      return await carryOut(api, ready, (written) => {
        uuid = written
      })
    } catch (error) {
      // One that may have been carried out is looked up once that is over.
      if (
        uuid === undefined ||
        change.do !== 'create' ||
        !(error instanceof ApiError) ||
        error.mayHaveHappened
      )
        throw error
      return completed(api, uuid, change)
    }
  })
}

/** Makes a check that is not there yet, as `makeOnce` does: those just like it that were there before are not taken for it. */
export async function createOnce(
  context: ActSteps,
  api: Api,
  creation: Creation,
  what: Parameters<typeof makeOnce>[3],
): Promise<Made> {
  const twins = await context.keep('alike', async () =>
    (await alike(api.healthChecks, creation.body)).map(({ uuid }) => uuid),
  )
  const change: Creation = { ...creation, twins, isTried: true }
  return makeOnce(context, api, { state: 'ready', change, now: undefined }, what)
}

const made =
  (change: Change) =>
  (outcome: Made | undefined): unknown =>
    detailsOf(change, outcome?.uuid).after

async function lookUp(api: Api, change: Change): Promise<Found<Made>> {
  const looked = await prepare(api, change)
  if ('result' in looked) return { outcome: { uuid: looked.result, lost: [] } }
  if (change.do === 'delete') return 'not-done'
  if ('says' in looked) return 'unknown'
  if (!looked.half) return 'not-done'
  return change.do === 'create' ? { outcome: await completed(api, looked.half, change) } : 'unknown'
}

/** Makes the alerts that a new check still lacks. */
async function completed(api: Api, uuid: string, { alerts }: Creation): Promise<Made> {
  const lost: Made['lost'][number][] = []
  const there = await api.alerts.list(uuid).catch(() => [])
  for (const alert of missingFrom(there, alerts))
    await api.alerts.create(uuid, bodyOf(alert)).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error
      lost.push({ alert, says: saidBy(error) })
    })
  return { uuid, lost }
}
