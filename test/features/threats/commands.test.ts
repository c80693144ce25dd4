import { describe, expect, it } from 'vitest'
import { HOSTILE } from './events.ts'
import { createEventOnPage, startThreatWorld, type ThreatWorld } from './world.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const OTHER_ID = '7e57ed00-0000-4000-8000-00000000000b'
const UNKNOWN_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

async function startWorldWithEvents(...ids: string[]): Promise<ThreatWorld> {
  const world = await startThreatWorld()
  for (const [index, id] of ids.entries())
    await world.service.storeThreat(id, { ...createEventOnPage(world, `site-${index}.example`), id })
  return world
}

describe('/threat', () => {
  it.each([
    { format: 'plain', typed: ID },
    { format: 'in upper case, in braces and backticks', typed: `\`{${ID.toUpperCase()}}\`` },
    { format: 'in an address', typed: `<https://portal.example.com/e/${ID}?x=1|the event>` },
    { format: 'with zero-width spaces', typed: [...ID].join('\u200b') },
  ])('shows an event if its ID is typed $format', async ({ typed }) => {
    await using world = await startWorldWithEvents(ID)
    const { message } = await world.slack.member.command('/threat', typed)
    expect(message?.text).not.toContain('Skipped')
    expect(message?.ephemeral).toBe(true)
    expect(message?.text).toContain('site-0[.]example')
    expect(message?.text).toContain('owner’s data hidden')
    expect(message?.text).not.toMatch(/Somebody|owner\[@\]/)
    expect((await world.service.requests()).map(({ path }) => path)).toEqual([`/cti/v2/events/${ID}`])
  })

  it('posts no links: the service’s files are behind buttons, and other sites are plain text', async () => {
    await using world = await startThreatWorld()
    const event = createEventOnPage(world, 'exa.mple')
    const screenshotUrl = `${world.sandbox.productionUrl}/cti/v2/resources/${ID}/screenshot.png`
    event.observed_data.website.screenshot_resource_url = screenshotUrl
    await world.service.storeThreat(ID, event)
    const { message } = await world.slack.member.command('/threat', ID)
    const { view } = await world.slack.member.click(message, 'Details')
    expect(JSON.stringify([message?.blocks, view])).not.toMatch(/"url":/)
    expect(JSON.stringify(view)).toContain(
      'hxxps://elsewhere[.]example/source (not the service’s address, so not downloaded',
    )
  })

  it('shows several events, and says which ones couldn’t be shown', async () => {
    await using world = await startWorldWithEvents(ID, OTHER_ID)
    const { text } = await world.slack.member.command('/threat', `${ID} ${UNKNOWN_ID} ${OTHER_ID} foo`)
    expect(text).toContain('site-0[.]example')
    expect(text).toContain('site-1[.]example')
    expect(text).toContain(`Can’t show ${UNKNOWN_ID}. The service has no threat event ${UNKNOWN_ID}`)
    expect(text).toContain('Skipped: “foo” isn’t a threat event ID. An ID looks like')
  })

  it('opens the full card from a compact one', async () => {
    const ids = Array.from({ length: 10 }, (_, index) => `${ID.slice(0, -1)}${index}`)
    await using world = await startWorldWithEvents(...ids)
    const { message } = await world.slack.member.command('/threat', ids.join('\n'))
    const fullCard = await world.slack.member.choose(message, 'Open a card…', 'site-0[.]example')
    expect(fullCard.message?.text).toContain('Leads to hxxps://site-0[.]example/login')
  })

  it.each([
    { typed: '', expected: 'Type its ID after /threat. An ID looks like' },
    { typed: '../tokens', expected: '“[.][.]/tokens” isn’t a threat event ID' },
    { typed: `${ID}0`, expected: 'isn’t a threat event ID' },
  ])('explains what is wrong with "$typed" without calling the service', async ({ typed, expected }) => {
    await using world = await startThreatWorld()
    const { text } = await world.slack.member.command('/threat', typed)
    expect(text.replaceAll('..', '[.][.]')).toContain(expected)
    expect(await world.service.requests()).toEqual([])
  })

  it('lists each unknown ID if several are typed', async () => {
    await using world = await startThreatWorld()
    const ids = Array.from({ length: 7 }, (_, index) => `${UNKNOWN_ID.slice(0, -1)}${index}`)
    const { text } = await world.slack.member.command('/threat', ids.join(' '))
    expect(text).toContain('The service has none of these 7 threat events: ')
    for (const id of ids) expect(text).toContain(id)
  })

  it('shows the first ten of many IDs, and offers the rest', async () => {
    await using world = await startThreatWorld({ sandbox: { seed: true } })
    const ids = Array.from({ length: 12 }, (_, index) => `${UNKNOWN_ID.slice(0, -2)}${10 + index}`)
    const { text, message } = await world.slack.member.command('/threat', ids.join(' '))
    expect(text).toContain('These are the first 10 of 12 IDs.')
    const rest = await world.slack.member.click(message, 'Next 2')
    for (const id of ids) expect(text + rest.text).toContain(id)
  })

  it('offers the other environment for an unknown ID', async () => {
    await using world = await startThreatWorld({ sandbox: { seed: true } })
    const answer = await world.slack.member.command('/threat', `${UNKNOWN_ID} --env ote`)
    expect(answer.text).toContain(`The service has no threat event ${UNKNOWN_ID} in OTE.`)
    const inProduction = await world.slack.member.click(answer.message, 'Look in production')
    expect(inProduction.text).toContain('in production.')
  })

  it('marks events from OTE', async () => {
    await using world = await startThreatWorld({ sandbox: { seed: true } })
    const response = await fetch(`${world.sandbox.oteUrl}/_sandbox/threat-events`)
    const [first] = (await response.json()) as { id: string }[]
    const { message, text } = await world.slack.member.command('/threat', `${first?.id} --env ote`)
    expect(message?.text).toContain('(OTE)')
    const { view } = await world.slack.member.click(message, 'Details')
    expect(JSON.stringify(view)).toContain('OTE test environment')
    expect(text).toContain('(OTE)')
  })

  it.each([
    {
      kind: 'status' as const,
      fault: { status: 500, body: { errors: [{ code: 'X', message: 'Broken <!here>' }] } },
      expected: 'Broken <!here>',
    },
    { kind: 'status' as const, fault: { status: 401 }, expected: 'doesn’t accept the stored token' },
    {
      kind: 'body' as const,
      fault: { body: '{"id": "x", "dom' },
      expected: 'couldn’t understand the service’s response',
    },
    {
      kind: 'body' as const,
      fault: { body: '<html><title>Maintenance</title></html>' },
      expected: 'couldn’t understand the service’s response',
    },
  ])('reports an error of the service: $expected', async ({ kind, fault, expected }) => {
    await using world = await startThreatWorld({ serviceLimits: { retry: { attempts: 1 } } })
    await world.service.storeThreat(ID, createEventOnPage(world, 'exa.mple'))
    await world.service.faults({ path: '/cti/v2/events', kind, ...fault })
    const { text } = await world.slack.member.command('/threat', ID)
    expect(text).toContain(expected)
    expect(text).not.toContain('Nothing was changed.')
    expect(text).toContain('Reference: ')
  })

  it('asks for a token if none is stored', async () => {
    await using world = await startThreatWorld({ connected: false })
    expect((await world.slack.member.command('/threat', ID)).text).toContain('Store a token')
  })

  it('shows empty, huge, and hostile events in messages that Slack accepts', async () => {
    await using world = await startThreatWorld()
    const events = [
      {},
      { comments: Array(10_000).fill({ content: 'x' }) },
      { observed_data: { dns_records: Array(5000).fill({ type: 'A', name: 'a.example', ip: '192.0.2.1' }) } },
      { observed_data: { whois: { owner_name: 'x'.repeat(2_000_000) } } },
      { domain: HOSTILE.join(' '), comments: HOSTILE.map((content) => ({ content })) },
    ]
    for (const [index, event] of events.entries()) {
      const id = `${ID.slice(0, -1)}${index}`
      await world.service.storeThreat(id, event)
      const { message } = await world.slack.member.command('/threat', id)
      expect(message?.text).toContain(id)
      const { view } = await world.slack.member.click(message, 'Details', { until: 'Event: ' })
      expect(view).toBeTruthy()
      await world.slack.member.close({ all: true })
    }
    expect(world.log.join('')).not.toContain('response_url was refused')
  })
})
