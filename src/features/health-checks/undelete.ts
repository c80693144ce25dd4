import type { Alert, Alerts } from '../../api/alerts.ts'
import { ApiError } from '../../api/errors.ts'
import type { HealthCheck, HealthCheckBody } from '../../api/health-checks.ts'
import type { Message } from '../../blocks/message.ts'
import { clip, oneLine } from '../../blocks/text.ts'
import { explain } from '../../bot/replies/explain.ts'
import { serviceSaid } from '../../bot/replies/service-said.ts'
import type { ActSteps } from '../../bot/routes/audited-acts.ts'
import type { Requester, ServiceAccess } from '../../bot/routes/command-context.ts'
import { listed } from '../../domain/wording.ts'
import { UserError } from '../../errors.ts'
import type { EphemeralState } from '../../store/work/ephemeral-state.ts'
import type { Found } from '../../work/act.ts'
import { alike, lookUpCreate } from './look-up.ts'
import { undoneView } from './views/undo.ts'

/** A deleted check, as it is created again. */
interface Kept {
  body: Pick<HealthCheck, keyof HealthCheckBody>
  alerts: readonly { type: string; recipients: readonly string[] }[]
  /** ISO 8601. */
  until: string
}

const UNDO_MS = 10 * 60_000
const NAMED = 5

/** All of a check that the audit log keeps of it when it is deleted. */
export const deletedOf = (check: HealthCheck, alerts: readonly Alert[]): object => ({
  ...bodyOf(check),
  alerts: alerts.map(({ id, type, recipients }) => ({ id, type, recipients })),
})

const bodyOf = ({
  name,
  customerId,
  protocol,
  target,
  port,
  frequency,
  httpServerAddress,
  verifySsl,
}: HealthCheck): Kept['body'] => ({
  name,
  customerId,
  protocol,
  target,
  port,
  frequency,
  httpServerAddress,
  verifySsl,
})

/** Keeps what was deleted for ten minutes; returns the id to ask for it by. */
export function keepForUndo(
  ephemeralState: EphemeralState,
  { workspaceId, now }: Requester,
  check: HealthCheck,
  alerts: readonly Alert[],
): Promise<string> {
  const until = new Date(now.getTime() + UNDO_MS)
  const kept = {
    body: bodyOf(check),
    alerts: alerts.map(({ type, recipients }) => ({ type: type || 'EMAIL', recipients })),
    until: until.toISOString(),
  }
  return ephemeralState.save({ workspaceId, body: kept, expiresAt: until })
}

/** Creates a deleted check and its alerts again, once. Throws UserError when the time is over or it was undone already. */
export async function undelete(
  ephemeralState: EphemeralState,
  context: Requester & ServiceAccess & ActSteps,
  undoId: string,
): Promise<Message> {
  const api = await context.api()
  // Sealed by `keepForUndo` under this workspace, hence of this type.
  const kept = (await context.keep('deleted', () =>
    ephemeralState.find(context.workspaceId, undoId, context.now),
  )) as Kept | undefined
  if (!kept || !(await context.isFirst(`undo:${undoId}`)))
    throw new UserError('This was undone already, or its ten minutes are over.', [
      { label: 'List', line: '/hc list' },
    ])
  // What the service did not tell is left out of what it is sent: it knows better than a guess what then holds.
  const body = kept.body as HealthCheckBody
  const before = await context.keep('alike', async () =>
    (await alike(api.healthChecks, body)).map(({ uuid }) => uuid),
  )
  const check = await context
    .change(
      {
        verb: '/hc undelete',
        object: `health-check ${body.name}`,
        after: (made: HealthCheck | undefined) => ({ ...body, ...(made && { uuid: made.uuid }) }),
        lookUp: () => lookUpCreate(api.healthChecks, body, before),
      },
      () => api.healthChecks.create(body),
    )
    .catch((error: unknown) => tryAgain(ephemeralState, context, kept, error))
  const lost: string[] = []
  const made: Kept['alerts'][number][] = []
  for (const alert of kept.alerts) {
    const { type, recipients } = alert
    const object = `alert of health-check ${check.uuid}`
    await context
      .change(
        {
          verb: '/hc undelete',
          object,
          objectName: body.name,
          after: { recipients },
          // The check is new, so that what it has is from here; of two alike alerts the second counts for itself.
          lookUp: () => lookUpRestored(api.alerts, check.uuid, recipients, made),
        },
        () => api.alerts.create(check.uuid, { type, recipients }),
      )
      .then(() => made.push(alert))
      .catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error
        lost.push(listed(recipients, NAMED, (address) => clip(oneLine(address), 100)))
      })
  }
  return undoneView(check, kept.alerts.length - lost.length, lost, context.environment)
}

/** A refusal costs nothing but time: it can be tried again until the ten minutes are over. */
async function tryAgain(
  ephemeralState: EphemeralState,
  { workspaceId }: Requester,
  kept: Kept,
  error: unknown,
): Promise<never> {
  if (!(error instanceof ApiError) || error.mayHaveHappened) throw error
  const undoId = await ephemeralState.save({ workspaceId, body: kept, expiresAt: new Date(kept.until) })
  const { happened, said } = explain(error)
  const sentences = serviceSaid(said)
    .map((sentence) => ` ${sentence}`)
    .join('')
  throw new UserError(`It could not be created again. ${happened}${sentences}`, [
    { label: 'Try again', line: `/hc undelete ${undoId}` },
  ])
}

/** Whether the alert is there: one more alike than were made before it. Throws ApiError. */
async function lookUpRestored(
  alerts: Pick<Alerts, 'list'>,
  uuid: string,
  recipients: readonly string[],
  made: Kept['alerts'],
): Promise<Found<Alert>> {
  const isAlike = (alert: { recipients: readonly string[] }): boolean =>
    alert.recipients.join('\n') === recipients.join('\n')
  const found = (await alerts.list(uuid)).filter(isAlike)
  const last = found.at(-1)
  return last && found.length > made.filter(isAlike).length ? { outcome: last } : 'not-done'
}
