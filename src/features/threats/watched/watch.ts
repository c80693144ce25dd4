import { LeaseLost, type LookupResult, MAX_IDLE_MS } from '@signalman/durable'
import { Question, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type {
  ActSteps,
  AuditNotes,
  CommandContext,
  Requester,
  Rights,
  ServiceAccess,
} from '../../../bot/routes/command-context.ts'
import { cmd } from '../../../domain/command-names.ts'
import type { HealthCheckBody } from '../../../service/health-checks.ts'
import { createNotTakenError } from '../cases/announces.ts'
import type { CardPlaceDeps } from '../cases/card-location.ts'
import { type EventReader, NoSuchEvents, readEvent } from '../event-ids/read-events.ts'
import { readPerson } from '../person.ts'
import type { EventKey, ThreatCases } from '../rows/cases.ts'
import { isOpen } from '../rules/case-steps.ts'
import { defang } from '../rules/defang.ts'
import { buildTakedownCheck, findReportedSite } from '../rules/takedown-check.ts'
import { hasSameTarget, type ThreatCase, type WatchedCheck } from '../rules/threat-case.ts'
import {
  describeEndedWatch,
  describeWatchStart,
  startedView,
  stoppedView,
  WATCH_STOPPED,
} from '../views/watched.ts'
import { compareCheck } from './compare.ts'

export interface WatchDeps extends CardPlaceDeps {
  threatCases: Pick<ThreatCases, 'find' | 'step' | 'reserveWatch'>
  reader: EventReader
  /** Wakes the work that notifies people. */
  wake: () => void
}

const VERB = '/threat watch'

/** Creates a health check for the page of a case's event. The case watches it, whoever has the case. */
export async function watchUntilDown(
  deps: WatchDeps,
  context: CommandContext,
  { eventId, typedCustomer }: { eventId: string; typedCustomer: number | undefined },
): Promise<Message> {
  const { threatCases, wake } = deps
  const { workspaceId, enterpriseId, environment, now, reference } = context
  const event = { workspaceId, environment, eventId }
  const { reservation, body } = await reserveWatch(deps, context, event, typedCustomer)
  const { checkUuid } = reservation
  if (checkUuid)
    return showRunningWatch(deps, context, { eventId, typedCustomer }, { ...reservation, checkUuid })
  const { uuid, watched, isReused, isDown } = await createCheck(context, body, reservation.watched).catch(
    async (error: unknown) => {
      // After a lost lease, another run of this request needs the reservation.
      if (!(error instanceof LeaseLost)) await cancelReservation(threatCases, event, reference)
      throw error
    },
  )
  const { name } = watched
  await context.change(
    { verb: VERB, object: `threat event ${eventId}`, after: { check: uuid, name }, isRepeatable: true },
    async () => {
      const noteText = describeWatchStart(watched)
      const by = watched.by
      const step = { ...event, enterpriseId, kind: 'note', by, now, reference, noteText } as const
      const outcome = await threatCases.step({ ...step, watched: { ...watched, checkUuid: uuid } })
      if (outcome.kind !== 'stepped') throw new UserError('Someone deleted this case in the meantime.')
    },
  )
  wake()
  return startedView(watched, { eventId, checkUuid: uuid, isReused, isDown })
}

/**
 * Shows the watch that a case already has, as its check is now. If the check was edited or deleted, stops watching and throws a
 * Question. Throws UserError if the check isn't in the service's list, or is for another customer than the one that was typed.
 */
async function showRunningWatch(
  deps: WatchDeps,
  context: CommandContext,
  { eventId, typedCustomer }: { eventId: string; typedCustomer: number | undefined },
  { watched, checkUuid }: { watched: WatchedCheck; checkUuid: string },
): Promise<Message> {
  const { name } = watched
  const compared = await context.remember('compared', async () =>
    compareCheck(await context.api(), { watched, checkUuid }),
  )
  if (compared.kind === 'edited' || compared.kind === 'deleted') {
    const reason = describeEndedWatch(watched, compared.kind === 'edited' ? compared.newTarget : undefined)
    await endWatch(deps, context, { eventId, name, checkUuid }, reason)
    deps.wake()
    if (compared.kind === 'deleted')
      throw new Question(`${reason}.`, [{ label: 'Watch again', line: watchLine(eventId, typedCustomer) }])
    throw new UserError(`${reason}. To watch again, delete or rename it first.`, [
      { label: 'Show the check', line: `/hc show ${checkUuid}` },
    ])
  }
  const stop = [{ label: 'Stop watching', line: `/threat unwatch ${eventId}` }]
  if (compared.kind === 'unknown')
    throw new UserError(
      `This threat event is watched with the health check ${defang(name)}, but the service doesn’t show that check to Signalman’s current account.`,
      stop,
    )
  if (typedCustomer !== undefined && compared.customerId !== typedCustomer)
    throw new UserError(
      `This threat event is already watched, with a health check for ${compared.customerId === undefined ? 'no customer' : `customer ${compared.customerId}`}, not ${typedCustomer}. Nothing was changed. To use another customer, stop watching first.`,
      stop,
    )
  const isDown = compared.status === 'UNHEALTHY'
  return startedView(watched, { eventId, checkUuid, isReused: true, isDown })
}

const watchLine = (eventId: string, customer: number | undefined): string =>
  `/threat watch ${eventId}${customer === undefined ? '' : ` --customer ${customer}`}`

/** Reserves the watch of a case, so that two requests don't create two checks. Also returns the body of the check to create. */
async function reserveWatch(
  deps: WatchDeps,
  context: CommandContext,
  event: EventKey,
  typedCustomer: number | undefined,
): Promise<{
  reservation: { watched: WatchedCheck; checkUuid: string | undefined }
  body: HealthCheckBody
}> {
  const { threatCases } = deps
  const threatCase = await threatCases.find(event)
  if (!threatCase) throw await createNotTakenError(deps, context, event.eventId, 'watch it')
  const by = await readPerson(context)
  const body = await context.remember('check', () =>
    buildCheckBody(deps, context, event.eventId, typedCustomer),
  )
  const { account } = await context.api()
  const { reference, now } = context
  const { name, target, protocol, port } = body
  const check = { name, target, protocol, port, account, by, reference, at: now.toISOString() }
  const next = await threatCases.reserveWatch(event, (current) => {
    if (!isOpen(current))
      throw new UserError('This case is closed. Reopen it to watch.', reopenSuggestion(event))
    return isReservable(current, context) ? check : current.watched
  })
  const { watched, checkUuid } = next ?? {}
  if (!watched || (!checkUuid && watched.reference !== reference))
    throw new UserError('Watching this is already being started. Try again in a minute.')
  return { reservation: { watched, checkUuid }, body }
}

const reopenSuggestion = ({ eventId }: EventKey) => [{ label: 'Reopen', line: `/threat reopen ${eventId}` }]

/** Whether this request may reserve the watch. A reservation expires after `MAX_IDLE_MS`, because its request is no longer resumed. */
const isReservable = ({ watched, checkUuid }: ThreatCase, { now, reference }: Requester): boolean =>
  !watched ||
  (!checkUuid && (watched.reference === reference || now.getTime() - Date.parse(watched.at) > MAX_IDLE_MS))

const cancelReservation = (threatCases: WatchDeps['threatCases'], event: EventKey, reference: string) =>
  threatCases.reserveWatch(event, ({ watched, checkUuid }) =>
    !checkUuid && watched?.reference === reference ? undefined : watched,
  )

interface CreatedCheck {
  uuid: string
  watched: WatchedCheck
  isReused: boolean
  /** True if the check was down when it was found. */
  isDown: boolean
}

/** Creates the health check, or reuses the check of an earlier watch. Throws UserError if the earlier check has another target now. */
async function createCheck(
  context: ServiceAccess & ActSteps,
  body: HealthCheckBody,
  check: WatchedCheck,
): Promise<CreatedCheck> {
  const { healthChecks } = await context.api()
  const findByName = async () => {
    const { results } = await healthChecks.list({ name: body.name, customerId: body.customerId })
    return results.find(({ name }) => name === body.name)
  }
  const existing = await context.remember('existing', async () => (await findByName()) ?? null)
  if (existing && !hasSameTarget(check, existing))
    throw new UserError(
      `The health check ${defang(body.name)} connects to a different target. Delete or rename it, then watch again.`,
      [{ label: 'Show the check', line: `/hc show ${existing.uuid}` }],
    )
  if (existing)
    return { uuid: existing.uuid, watched: check, isReused: true, isDown: existing.status === 'UNHEALTHY' }
  const uuid = await context.change(
    {
      verb: VERB,
      object: `health-check ${body.name}`,
      after: (created: string | undefined) => ({ ...body, ...(created && { uuid: created }) }),
      async lookUp(): Promise<LookupResult<string>> {
        const created = await findByName()
        return created ? { outcome: created.uuid } : 'not-done'
      },
    },
    async () => (await healthChecks.create(body)).uuid,
  )
  return { uuid, watched: check, isReused: false, isDown: false }
}

async function buildCheckBody(
  { reader }: WatchDeps,
  context: Requester & ServiceAccess & AuditNotes,
  eventId: string,
  typedCustomer: number | undefined,
) {
  const { fullEvent } = await readEvent(reader, context, VERB, eventId).catch((error: unknown) => {
    // Doesn't offer the other environment, because the case is in this one.
    throw error instanceof NoSuchEvents ? new UserError(error.message) : error
  })
  const { customerId: eventCustomer = 0 } = fullEvent
  const customerId = typedCustomer ?? eventCustomer
  if (customerId <= 0)
    throw new UserError(
      `This event doesn’t say which customer the health check is for. Type ${cmd('/threat watch')} ${eventId} --customer N.`,
    )
  const body = buildTakedownCheck(fullEvent, { eventId, customerId })
  if (!body)
    throw new UserError(
      findReportedSite(fullEvent)
        ? 'The reported URL is too long for a health check, so Signalman can’t watch this page.'
        : 'This event names no domain, address, or page to watch.',
    )
  return body
}

/** Stops watching for everyone. Doesn't delete the health check. */
export async function stopWatching(
  deps: Omit<WatchDeps, 'reader'>,
  context: Requester & Rights & ActSteps,
  eventId: string,
): Promise<Message> {
  const { workspaceId, environment } = context
  // Stored, so a retry doesn't end a watch that was started since.
  const watchedCheck = await context.remember('watched', async () => {
    const { watched, checkUuid } = (await deps.threatCases.find({ workspaceId, environment, eventId })) ?? {}
    return watched && checkUuid ? { name: watched.name, checkUuid } : null
  })
  if (!watchedCheck)
    throw new UserError('Nobody is watching this threat event.', [
      { label: 'Watch until it’s down', line: `/threat watch ${eventId}` },
    ])
  await endWatch(deps, context, { eventId, ...watchedCheck }, WATCH_STOPPED)
  deps.wake()
  return stoppedView(watchedCheck.name, watchedCheck.checkUuid, eventId)
}

/** Ends the watch of a case's check, and adds a note with the reason. If the watch ended automatically, the note names nobody. */
export async function endWatch(
  { threatCases }: Pick<WatchDeps, 'threatCases'>,
  context: Requester & Rights & ActSteps,
  { eventId, name, checkUuid }: { eventId: string; name: string; checkUuid: string },
  reason: string,
): Promise<void> {
  const { workspaceId, environment, enterpriseId, now, reference } = context
  const event = { workspaceId, environment, eventId }
  const by = reason === WATCH_STOPPED ? await readPerson(context) : undefined
  await context.change(
    {
      verb: '/threat unwatch',
      object: `threat event ${eventId}`,
      before: { check: checkUuid, name },
      isRepeatable: true,
    },
    async () => {
      await threatCases.step({
        ...event,
        enterpriseId,
        kind: 'note',
        by,
        now,
        reference,
        noteText: reason,
        watched: 'ended',
      })
    },
  )
}
