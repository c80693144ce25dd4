import { startWorld, WORKSPACE, type World, type WorldOptions } from '../../world.ts'
import { eventOf } from './events.ts'

export const ID = '7e57ed00-0000-4000-8000-00000000000a'

type Event = ReturnType<typeof eventOf>

/** Starts a world whose service has the event `ID` on exa.mple, with its screenshot and source on the service's origin. */
export async function worldWithThreat(
  change: (event: Event, origin: string) => void = () => undefined,
  options: WorldOptions = {},
): Promise<World> {
  const world = await startWorld(options)
  const origin = world.sandbox.productionUrl
  const event = eventOf('exa.mple')
  event.observed_data.website.screenshot_resource_url = `${origin}/cti/v2/resources/${ID}/screenshot.png`
  event.observed_data.website.source_resource_url = `${origin}/cti/v2/resources/${ID}/source`
  change(event, origin)
  await world.service.storeThreat(ID, event)
  return world
}

/** The files in the person's DM with the app, by name. */
export async function filesOf(
  world: World,
): Promise<Map<string, { bytes: Buffer; altText: string; title: string }>> {
  const messages = await world.slack.member.messages('dm')
  const files = messages.flatMap((message) => message.files ?? [])
  const fetched = files.map(async ({ name, href, altText, title }) => {
    const answer = await fetch(`${world.playground.url}${href}`)
    return [name, { bytes: Buffer.from(await answer.arrayBuffer()), altText, title }] as const
  })
  return new Map(await Promise.all(fetched))
}

/** The actions in the audit log, with their objects. */
export async function auditOf(world: World): Promise<string[]> {
  const entries = await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 1000 })
  return entries.map(({ verb, object, outcome }) => `${verb}: ${object ?? ''}: ${outcome}`).reverse()
}
