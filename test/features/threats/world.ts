import { expect } from 'vitest'
import { POST_CASE } from '../../../src/features/threats/rows/cases.ts'
import { startWorld, WORKSPACE, type World, type WorldOptions } from '../../world.ts'
import { createThreatEvent } from './events.ts'
import { expectNoVisits, type ReportedPage, startReportedPage } from './reported-page.ts'

export const ID = '7e57ed00-0000-4000-8000-00000000000a'

type Event = ReturnType<typeof createThreatEvent>

export interface ThreatWorld extends World {
  /** Stands for the page that the events report. The test fails if anything connects to it. */
  readonly page: ReportedPage
}

/** Starts a world with a web server for the reported page. Nothing forbids the app to connect to it. */
export async function startThreatWorld(options: WorldOptions = {}): Promise<ThreatWorld> {
  await using started = new AsyncDisposableStack()
  const page = started.use(await startReportedPage())
  started.defer(() => expectNoVisits(page))
  const world = started.use(await startWorld(options))
  const resources = started.move()
  return { ...world, page, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

export function createEventOnPage({ page }: Pick<ThreatWorld, 'page'>, domain: string): Event {
  const event = createThreatEvent(domain)
  event.observed_data.website.origin_url = page.url
  return event
}

/** Starts a world with the threat event `ID` for exa.mple. The service has the event's screenshot and page source. */
export async function startWorldWithThreat(
  change: (event: Event, origin: string) => void = () => undefined,
  options: WorldOptions = {},
): Promise<ThreatWorld> {
  const world = await startThreatWorld(options)
  const origin = world.sandbox.productionUrl
  const event = createEventOnPage(world, 'exa.mple')
  event.observed_data.website.screenshot_resource_url = `${origin}/cti/v2/resources/${ID}/screenshot.png`
  event.observed_data.website.source_resource_url = `${origin}/cti/v2/resources/${ID}/source`
  change(event, origin)
  await world.service.storeThreat(ID, event)
  return world
}

export async function downloadFiles(
  world: Pick<World, 'slack'> & { readonly playground: { readonly url: string } },
): Promise<Map<string, { bytes: Buffer; altText: string; title: string }>> {
  const messages = await world.slack.member.messages('dm')
  const files = messages.flatMap((message) => message.files ?? [])
  const downloads = files.map(async ({ name, href, altText, title }) => {
    const response = await fetch(`${world.playground.url}${href}`)
    return [name, { bytes: Buffer.from(await response.arrayBuffer()), altText, title }] as const
  })
  return new Map(await Promise.all(downloads))
}

export const waitForCasePosts = ({ app }: World) =>
  expect.poll(async () => (await app.store.work.listOpen(WORKSPACE, [POST_CASE])).length).toBe(0)

/** Returns the audit log, oldest first, as lines of verb, object, and outcome. */
export async function readAuditLines(world: World): Promise<string[]> {
  const entries = await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 1000 })
  return entries.map(({ verb, object, outcome }) => `${verb}: ${object ?? ''}: ${outcome}`).reverse()
}
