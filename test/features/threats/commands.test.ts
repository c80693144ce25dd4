import { describe, expect, it } from 'vitest'
import { createEventOnPage, ID, readAuditLines, startThreatWorld, type ThreatWorld } from './world.ts'

const OTHER_ID = '7e57ed00-0000-4000-8000-00000000000b'
const UNKNOWN_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

async function startWorldWithEvents(...ids: string[]): Promise<ThreatWorld> {
  const world = await startThreatWorld()
  for (const [index, id] of ids.entries())
    await world.service.storeThreat(id, { ...createEventOnPage(world, `site-${index}.example`), id })
  return world
}

describe('/threat', () => {
  it('shows several events, opens the card of one, and says which ones couldn’t be shown', async () => {
    await using world = await startWorldWithEvents(ID, OTHER_ID)
    const { member } = world.slack
    const { text, message } = await member.command('/threat', `${ID} ${UNKNOWN_ID} ${OTHER_ID} foo`)
    expect(text).toContain('site-0[.]example')
    expect(text).toContain('site-1[.]example')
    expect(text).toContain(`Can’t show ${UNKNOWN_ID}. The service has no threat event ${UNKNOWN_ID}`)
    expect(text).toContain('Skipped: “foo”.')
    for (const shown of ['Leads to /login', 'Skipped: “foo”']) expect(message?.text).toContain(shown)
    expect((await readAuditLines(world)).toSorted()).toEqual(
      [ID, OTHER_ID].map((id, index) => `/threat: threat event ${id} (site-${index}[.]example): done`),
    )
    const fullCard = await member.choose(message, 'Open a card…', 'site-0[.]example')
    expect(fullCard.message?.text).toContain('Leads to /login')
    const unknownIds = Array.from({ length: 12 }, (_, index) => `${UNKNOWN_ID.slice(0, -2)}${10 + index}`)
    const none = await member.command('/threat', [...unknownIds, 'foo'].join(' '))
    for (const note of ['Skipped: “foo”.', 'These are the first 10 of 12 IDs.'])
      expect(none.text).toContain(note)
    for (const [index, id] of unknownIds.entries())
      expect(none.text.includes(`Can’t show ${id}. The service has no threat event ${id}.`)).toBe(index < 10)
  })

  it('refuses two IDs for a verb that is about one event', async () => {
    await using world = await startWorldWithEvents(ID, OTHER_ID)
    await world.service.clearRequests()
    for (const verb of ['take', 'note', 'close', 'details', 'dns', 'copy', 'case']) {
      const line = `${verb} ${ID} ${OTHER_ID}${verb === 'close' ? ' --as down' : ''}`
      const { text } = await world.slack.member.command('/threat', line)
      expect(text).toContain(`/threat ${verb} takes one ID at a time. You typed 2.`)
    }
    expect(await world.service.requests()).toEqual([])
    expect(await readAuditLines(world)).toEqual([])
  })

  it('explains what is wrong with an ID without calling the service', async () => {
    await using world = await startThreatWorld()
    for (const [typed, expected] of [
      ['', 'Type its ID after /threat. An ID looks like'],
      ['../tokens', '“[.][.]/tokens” isn’t a threat event ID'],
      [`${ID}0`, 'isn’t a threat event ID'],
    ] as const) {
      const { text } = await world.slack.member.command('/threat', typed)
      expect(text.replaceAll('..', '[.][.]')).toContain(expected)
    }
    expect(await world.service.requests()).toEqual([])
  })

  it('says for a domain or URL that the service finds events only by ID', async () => {
    await using world = await startThreatWorld()
    for (const typed of [
      'site-0.example',
      'what is hxxps://site-0[.]example/login?a=1',
      'phish[at]site-0[.]example',
      'take site-0.example',
      'close site-0.example --as down',
      'export site-0.example',
    ])
      expect((await world.slack.member.command('/threat', typed)).text).toMatch(
        /The service finds threat events only by ID\. You find the ID in .*\nQueue\nHelp$/s,
      )
    expect(await world.service.requests()).toEqual([])
  })

  it('names another open case of the same domain on the card', async () => {
    await using world = await startWorldWithEvents(ID, OTHER_ID)
    const { member, admin } = world.slack
    await world.service.storeThreat(OTHER_ID, { ...createEventOnPage(world, 'site-0.example'), id: OTHER_ID })
    const third = `${ID.slice(0, -1)}9`
    await world.service.storeThreat(third, { ...createEventOnPage(world, 'third.example'), id: third })
    for (const id of [OTHER_ID, third]) await admin.command('/threat', `take ${id}`, { until: 'yours now' })
    const card = await member.command('/threat', ID, {
      until: 'Another open case has this domain: site-0[.]example · Taken by Admin.',
    })
    await member.click(card.message, 'Other case', {
      until: ({ view }) => JSON.stringify(view ?? '').includes('Taken by Admin'),
    })
    expect((await admin.command('/threat', OTHER_ID)).text).not.toContain('Another open case')
    await member.close({ all: true })
    await admin.command('/threat', `close ${OTHER_ID} --as down`, { until: 'The case is closed.' })
    expect((await member.command('/threat', ID)).text).not.toContain('Another open case')
  })

  it('names no case of another domain, or of an event without one', async () => {
    await using world = await startWorldWithEvents(ID, OTHER_ID)
    const { member, admin } = world.slack
    await admin.command('/threat', `take ${OTHER_ID}`, { until: 'yours now' })
    const [first, second] = [`${ID.slice(0, -1)}8`, `${ID.slice(0, -1)}9`]
    for (const id of [first, second])
      await world.service.storeThreat(id, { ...createEventOnPage(world, ''), id, domain: null })
    await admin.command('/threat', `take ${first}`, { until: 'yours now' })
    for (const id of [ID, second]) {
      const { text } = await member.command('/threat', id, { until: 'reported ' })
      expect(text).not.toMatch(/open cases? ha/)
    }
  })

  it('marks events from OTE, and offers production, but never OTE, for an unknown ID', async () => {
    await using world = await startThreatWorld({ sandbox: { seed: true } })
    const { member } = world.slack
    const response = await fetch(`${world.sandbox.oteUrl}/_sandbox/threat-events`)
    const [first] = (await response.json()) as { id: string }[]
    const { message, text } = await member.command('/threat', `${first?.id} --env ote`)
    expect(text).toContain('(OTE)')
    expect(JSON.stringify(message?.blocks)).toContain('(OTE)')
    const { view } = await member.click(message, 'Details')
    expect(JSON.stringify(view)).toContain('OTE test environment')
    await member.close({ all: true })
    const answer = await member.command('/threat', `${UNKNOWN_ID} --env ote`)
    expect(answer.text).toContain(`The service has no threat event ${UNKNOWN_ID} in OTE.`)
    const inProduction = await member.click(answer.message, 'Look in production')
    expect(inProduction.text).toContain(`The service has no threat event ${UNKNOWN_ID}. You find the ID in`)
    expect(inProduction.text).not.toContain('OTE')
  })
})
