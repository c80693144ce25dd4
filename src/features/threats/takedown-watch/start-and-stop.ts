import { type Found, LeaseLost } from '@signalman/durable'
import { newId, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { takedownCheckName } from '../../../domain/takedown-checks.ts'
import type { HealthCheckBody } from '../../../service/health-checks.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { personOf } from '../cases/take-step.ts'
import { safeDomain, safeLine } from '../defang.ts'
import { type EventReader, NoSuchEvents, readEvent } from '../event-ids/read-events.ts'
import { hostOf, urlOf } from '../indicators/values.ts'
import { KEPT_BACK } from '../privacy/redact-event.ts'
import type { ThreatCase } from '../rows/case-rows.ts'
import type { AskedEvent, ThreatCases } from '../rows/cases.ts'
import { MOST_WATCHES } from '../rows/tables.ts'
import { type TakedownWatches, WatchesFull } from '../rows/takedown-watches.ts'
import { UNSEEN } from './rules.ts'
import { roomWords, STOPPED_WORDS, startedView, startedWords, stoppedView, watchedView } from './views.ts'

export interface TakedownParts {
  takedownWatches: TakedownWatches
  threatCases: Pick<ThreatCases, 'find' | 'step'>
  reader: EventReader
  /** Wakes the work that looks. */
  wake: () => void
}

/** How many of the oldest watches are offered to be stopped when there is no room. */
const OFFERED = 5
const VERB = '/threat watch'

/** Makes a health check for the site of a case's event, and watches it until it is down; the case's thread is told. */
export async function startTakedownWatch(
  parts: TakedownParts,
  context: CommandContext,
  { eventId, typedCustomer }: { eventId: string; typedCustomer: number | undefined },
): Promise<Message> {
  const { takedownWatches, threatCases, wake } = parts
  const { workspaceId, enterpriseId, environment, now, reference } = context
  const asked = { workspaceId, environment, eventId }
  const found = await caseOf(threatCases, asked)
  const by = await personOf(context)
  const id = await context.keep('id', async () => newId())
  const there = await takedownWatches.find(asked)
  if (there?.checkUuid && there.id !== id) return watchedView(there, now)
  const body = await context.keep('check', () => bodyFor(parts, context, eventId, typedCustomer))
  const { account } = await context.api()
  const content = { checkName: body.name, target: body.target, account, state: UNSEEN, newsSent: 0, news: [] }
  const held = await takedownWatches
    .reserve({ ...asked, ...content, id, enterpriseId, madeAt: now })
    .catch(async (error: unknown) => {
      throw error instanceof WatchesFull ? await tooMany(takedownWatches, context) : error
    })
  if (held.id !== id) return watchedView(held, now)
  const { uuid, isOld } = await makeCheck(context, eventId, body).catch(async (error: unknown) => {
    // Another run of this act still needs the reservation.
    if (!(error instanceof LeaseLost)) await takedownWatches.cancelReservation(id)
    throw error
  })
  await context.change(
    {
      verb: VERB,
      object: `threat event ${eventId}`,
      after: { check: uuid, name: body.name },
      isRepeatable: true,
    },
    async () => {
      if (!(await takedownWatches.begin(held, uuid)))
        throw new UserError(
          `This watch was stopped while it began: nothing is watched. Its health check ${body.name} is at the service.`,
        )
      const text = startedWords(held)
      await threatCases.step({ ...asked, enterpriseId, kind: 'note', by, now, reference, text })
    },
  )
  wake()
  return startedView({ ...held, checkUuid: uuid }, { isOld, isTold: found.place !== undefined })
}

/** A watch that was stopped may have left its check, which is named after the event. */
async function makeCheck(
  context: CommandContext,
  eventId: string,
  body: HealthCheckBody,
): Promise<{ uuid: string; isOld: boolean }> {
  const { healthChecks } = await context.api()
  const named = async (): Promise<string | undefined> => {
    const { results } = await healthChecks.list({ name: body.name, customerId: body.customerId })
    return results.find(({ name }) => name === body.name)?.uuid
  }
  const old = await context.keep('old', async () => (await named()) ?? null)
  if (old !== null) return { uuid: old, isOld: true }
  return context.change(
    {
      verb: VERB,
      object: `health-check ${body.name}`,
      after: (made: { uuid: string } | undefined) => ({ ...body, event: eventId, ...made }),
      async lookUp(): Promise<Found<{ uuid: string; isOld: boolean }>> {
        const uuid = await named()
        return uuid === undefined ? 'not-done' : { outcome: { uuid, isOld: false } }
      },
    },
    async () => ({ uuid: (await healthChecks.create(body)).uuid, isOld: false }),
  )
}

/** The case whose thread is told. Throws UserError when there is none, or when it needs no watch. */
async function caseOf(threatCases: Pick<ThreatCases, 'find'>, asked: AskedEvent): Promise<ThreatCase> {
  const found = await threatCases.find(asked)
  if (!found)
    throw new UserError(
      'Nobody has taken this threat event yet, and it is in the thread of its case that the end of it is told. Take it, then watch it.',
      [{ label: 'Take', line: `/threat take ${asked.eventId}` }],
    )
  return found
}

async function tooMany(
  takedownWatches: TakedownWatches,
  { workspaceId, now }: Pick<CommandContext, 'workspaceId' | 'now'>,
): Promise<UserError> {
  const oldest = await takedownWatches.oldest(workspaceId, OFFERED)
  return new UserError(
    `${MOST_WATCHES} threat events are watched until they are down, which is as many as one workspace may have. Stop one; the oldest are: ${oldest.map((watch) => roomWords(watch, now)).join('; ')}.`,
    // Each stop is asked in the channel of its own case.
    oldest.map(({ checkName, eventId, environment }) => ({
      label: `Stop ${safeLine(checkName, 70)}`,
      line: `/threat unwatch ${eventId} --env ${environment}`,
    })),
  )
}

async function bodyFor(
  { reader }: TakedownParts,
  context: CommandContext,
  eventId: string,
  typed: number | undefined,
) {
  const { redacted } = await readEvent(reader, context, VERB, eventId).catch((error: unknown) => {
    // It has a case here: to look in the other environment would be no help.
    throw error instanceof NoSuchEvents ? new UserError(error.message) : error
  })
  const { customerId: named = 0 } = redacted.event
  const customerId = typed ?? named
  if (customerId <= 0)
    throw new UserError(
      `This event names no customer whom the health check could belong to: type /threat watch ${eventId} --customer N.`,
    )
  const body = takedownCheck(redacted.event, { eventId, customerId })
  if (!body)
    throw new UserError('This event names no domain and no address that a health check could look at.')
  return body
}

const FREQUENCY_SECONDS = 60
const MAX_TARGET = 500

/**
 * The health check that shows whether the site of an event is still up: of the reported page when it is on the event's own
 * domain, else of the domain. Certificates are not checked: a bad one would look like a site that is down. Undefined when
 * the event names no site.
 */
function takedownCheck(
  { domain, observedData }: ThreatEvent,
  { eventId, customerId }: { eventId: string; customerId: number },
): HealthCheckBody | undefined {
  const host = hostOf(domain)
  if (!domain || !host) return undefined
  const { originUrl, finalUrl } = observedData?.website ?? {}
  const page = [originUrl, finalUrl].map((address) => pageOn(host.value, address)).find(Boolean)
  const isPlain = page?.protocol === 'http:'
  return {
    name: takedownCheckName(safeDomain(domain, 100), eventId),
    customerId,
    protocol: isPlain ? 'HTTP' : 'HTTPS',
    target: page?.href ?? host.value,
    port: Number(page?.port) || (isPlain ? 80 : 443),
    frequency: FREQUENCY_SECONDS,
    ...(!isPlain && { verifySsl: false }),
  }
}

/** A web page on the host or under it, without what no server is sent; undefined for any other address. */
function pageOn(host: string, address: string | undefined): URL | undefined {
  if (!address || address.includes(KEPT_BACK)) return undefined
  const url = URL.parse(urlOf(address)?.value ?? '')
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined
  const named = url.hostname.replace(/^\[|\]$/g, '')
  if (named !== host && !named.endsWith(`.${host}`)) return undefined
  url.hash = ''
  return url.href.length > MAX_TARGET ? undefined : url
}

/** Stops a watch, as somebody asked. Its health check stays, and the answer says so. Its end by itself is in look-at-check. */
export async function stopTakedownWatch(
  { takedownWatches, threatCases, wake }: Omit<TakedownParts, 'reader'>,
  context: CommandContext,
  eventId: string,
): Promise<Message> {
  const { workspaceId, enterpriseId, environment, now, reference } = context
  const asked = { workspaceId, environment, eventId }
  const kept = await context.keep('watch', async () => {
    const found = await takedownWatches.find(asked)
    // Kept with the act: a second run must not end a watch that was started since.
    return found && { id: found.id, checkUuid: found.checkUuid, checkName: found.checkName, eventId }
  })
  if (!kept)
    throw new UserError('This threat event is not watched.', [
      { label: 'Watch until it is down', line: `/threat watch ${eventId}` },
    ])
  const by = await personOf(context)
  await context.change(
    {
      verb: '/threat unwatch',
      object: `threat event ${eventId}`,
      before: { check: kept.checkUuid, name: kept.checkName },
      isRepeatable: true,
    },
    async () => {
      await takedownWatches.remove({ ...asked, id: kept.id })
      await threatCases.step({
        ...asked,
        enterpriseId,
        kind: 'note',
        by,
        now,
        reference,
        text: STOPPED_WORDS,
      })
    },
  )
  wake()
  return stoppedView(kept)
}
