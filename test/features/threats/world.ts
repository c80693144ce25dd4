import { startWorld, WORKSPACE, type World, type WorldOptions } from '../../world.ts'
import { createThreatEvent } from './events.ts'

export const ID = '7e57ed00-0000-4000-8000-00000000000a'

type Event = ReturnType<typeof createThreatEvent>

/** Starts a world with the threat event `ID` for exa.mple. The service has the event's screenshot and page source. */
export async function startWorldWithThreat(
  change: (event: Event, origin: string) => void = () => undefined,
  options: WorldOptions = {},
): Promise<World> {
  const world = await startWorld(options)
  const origin = world.sandbox.productionUrl
  const event = createThreatEvent('exa.mple')
  event.observed_data.website.screenshot_resource_url = `${origin}/cti/v2/resources/${ID}/screenshot.png`
  event.observed_data.website.source_resource_url = `${origin}/cti/v2/resources/${ID}/source`
  change(event, origin)
  await world.service.storeThreat(ID, event)
  return world
}

/** Downloads the files in the member's DM with the app. Returns them by name. */
export async function downloadFiles(
  world: World,
): Promise<Map<string, { bytes: Buffer; altText: string; title: string }>> {
  const messages = await world.slack.member.messages('dm')
  const files = messages.flatMap((message) => message.files ?? [])
  const downloads = files.map(async ({ name, href, altText, title }) => {
    const response = await fetch(`${world.playground.url}${href}`)
    return [name, { bytes: Buffer.from(await response.arrayBuffer()), altText, title }] as const
  })
  return new Map(await Promise.all(downloads))
}

/** Returns the audit log, oldest first, as lines of verb, object, and outcome. */
export async function readAuditLines(world: World): Promise<string[]> {
  const entries = await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 1000 })
  return entries.map(({ verb, object, outcome }) => `${verb}: ${object ?? ''}: ${outcome}`).reverse()
}
