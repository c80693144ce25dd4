import { describe, expect, it } from 'vitest'
import { sweepThreats } from '../../../../src/features/threats/memory/threat-retention.ts'
import { findTraits, traitsForWords } from '../../../../src/features/threats/rules/traits.ts'
import { searchResultsView } from '../../../../src/features/threats/views/found-events.ts'
import { readEvent } from '../../../service/reading.ts'
import { WORKSPACE } from '../../../world.ts'
import { createThreatEvent } from '../events.ts'
import { ID, readAuditLines, startWorldWithThreat } from '../world.ts'

const idEndingWith = (last: string): string => ID.replace(/a$/, last)

describe('the traits of a threat event', () => {
  it('include the IP address that it is about, and that of its reported page', () => {
    const findAddresses = (rawEvent: object) =>
      findTraits(readEvent({ ...rawEvent }))
        .filter(({ kind }) => kind === 'ip')
        .map(({ value }) => value)
    expect(findAddresses({ domain: '192.0.2.9' })).toEqual(['192.0.2.9'])
    const website = { origin_url: 'http://0xC0.0.2.77:8080/login', final_url: 'http://192.0.2.78/' }
    expect(findAddresses({ observed_data: { website } })).toEqual(['192.0.2.77'])
  })

  it('include its IP addresses, autonomous systems, domain, registrar, brand, and page title', () => {
    expect(
      findTraits(readEvent(createThreatEvent('www.exa.mple'))).map(({ kind, value }) => `${kind} ${value}`),
    ).toEqual([
      'ip 192.0.2.1',
      'ip 2001:db8::1',
      'title sign in',
      'registered-domain exa.mple',
      'as 64500',
      'as 64501',
      'registrar example registrar',
      'brand example shops',
      'domain www.exa.mple',
      'domain exa.mple',
      'letters exampleshops',
      'letters exampleregistrar',
      'letters signin',
      'brand-word example',
      'brand-word shops',
    ])
  })

  it.each([
    { typed: '192.0.2.1', expected: 'ip 192.0.2.1' },
    { typed: '2001:DB8:0::1', expected: 'ip 2001:db8::1' },
    { typed: 'AS 64500', expected: 'as 64500' },
    { typed: 'Пример.РФ', expected: 'domain xn--e1afmkfd.xn--p1ai' },
    { typed: 'https://www.exa.mple/login?x=1', expected: 'domain www.exa.mple' },
    { typed: 'Example  SHOPS', expected: 'brand example shops' },
    { typed: 'Exämple-Shops!', expected: 'letters exampleshops' },
    { typed: 'SHOPS', expected: 'brand-word shops' },
    { typed: '64500', expected: 'as 64500' },
    { typed: '*.exa.mple', expected: 'domain exa.mple' },
    { typed: 'exa.mple.', expected: 'domain exa.mple' },
    { typed: '192.0.2.1:443', expected: 'ip 192.0.2.1' },
    { typed: '3221225985', expected: 'ip 192.0.2.1' },
    { typed: '0xC0.0.02.1', expected: 'ip 192.0.2.1' },
    { typed: 'http://0300.0.2.1/x', expected: 'ip 192.0.2.1' },
    { typed: '::ffff:192.0.2.1', expected: 'ip 192.0.2.1' },
    { typed: '::FFFF:c000:201', expected: 'ip 192.0.2.1' },
    { typed: '[2001:db8:0:0:0:0:0:1]:8443', expected: 'ip 2001:db8::1' },
    // As other programs defang addresses, and as they are copied from text.
    { typed: 'hxxps[://]login[.]exa[.]mple/a', expected: 'domain login.exa.mple' },
    { typed: 'login.exa.mple:8443', expected: 'domain login.exa.mple' },
    { typed: 'login.exa.mple,', expected: 'domain login.exa.mple' },
    { typed: 'owner[@]login[.]exa[.]mple', expected: 'domain login.exa.mple' },
    { typed: '//login.exa.mple/a', expected: 'domain login.exa.mple' },
    { typed: 'login(.)exa{.}mple[/]a', expected: 'domain login.exa.mple' },
    { typed: 'login[.exa\\.mple', expected: 'domain login.exa.mple' },
    { typed: '192[.]0[.]2[.]1', expected: 'ip 192.0.2.1' },
    { typed: 'Acme Inc.', expected: 'brand acme inc' },
  ])('are searched for as $expected if someone types $typed', ({ typed, expected }) => {
    expect(traitsForWords(typed).map(({ kind, value }) => `${kind} ${value}`)).toContain(expected)
  })

  it.each(['http://', 'login..exa..mple', '256.1.1.1', 'x@'])(
    'are refused, not searched, if someone types an address that can’t be read: %s',
    (typed) => {
      expect(() => traitsForWords(typed)).toThrow('couldn’t read it, so nothing was searched')
    },
  )
})

it('offers the next page of search results even if not all matches were counted', () => {
  const event = { eventId: ID, readAt: new Date(), domain: 'exa[.]mple', verdict: 'HIGH' }
  const request = { typed: 'x', page: 67, days: 90, now: new Date(), environment: 'production' } as const
  const { text, blocks } = searchResultsView({ events: Array(15).fill(event), total: 1000 }, request)
  expect(text).toMatch(/^1,000 or more threat events with “x” · .* · page 67\n/)
  expect(JSON.stringify(blocks)).toContain('--page 68')
})

describe('the stored events of a workspace', () => {
  it('are counted on the card of a new event that has something in common with them', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    await world.service.storeThreat(idEndingWith('b'), {
      ...createThreatEvent('second.example'),
      id: idEndingWith('b'),
    })
    const first = await member.command('/threat', ID, { until: 'Leads to' })
    expect(first.text).not.toContain('Seen with')
    const { text } = await member.command('/threat', idEndingWith('b'), { until: 'Leads to' })
    expect(text).toContain(
      'Seen with 1 on 192[.]0[.]2[.]1, 1 with this page title, 1 in AS64500, 1 at this registrar',
    )
  })

  it('are found by what they have in common, and open the full card', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    await member.command('/threat', ID)
    for (const typed of [
      '192[.]0[.]2[.]1',
      'hxxps://exa[.]mple/login',
      'AS64500',
      'EXAMPLE-SHOPS',
      'Sign-in!',
    ]) {
      const { text, message } = await member.command('/threat', `find ${typed}`)
      expect(text).toContain('1 threat event with')
      expect(text).toContain('HIGH · reported domain · imitates Example Shops')
      expect(text).toContain('exa[.]mple')
      expect(text).not.toMatch(/Somebody|owner/)
      const fullCard = await member.choose(message, 'Look up an event…', 'exa[.]mple')
      expect(fullCard.text).toContain('Leads to')
    }
  })

  it('are found by any of their parent domains, and suggested for sibling domains', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    await world.service.storeThreat(idEndingWith('b'), {
      ...createThreatEvent('a.b.login.exa.mple'),
      id: idEndingWith('b'),
    })
    await member.command('/threat', idEndingWith('b'))
    const readResult = async (typed: string) => (await member.command('/threat', `find ${typed}`)).text
    for (const typed of ['a.b.login.exa.mple', 'b.login.exa.mple', 'login.exa.mple', 'exa.mple'])
      expect(await readResult(typed)).toContain('1 threat event with')
    const sibling = await readResult('www.exa.mple')
    expect(sibling).toContain('No remembered threat event has “www[.]exa[.]mple”; showing the whole domain')
    expect(sibling).toContain('1 threat event under exa[.]mple')
    for (const typed of ['n.exa.mple.test', 'xa.mple', 'mple', '192.0.2.2', 'exam'])
      expect(await readResult(typed)).toContain('to look up an event directly')
    expect(await readResult('192.0.2.0/24')).toContain('one address at a time')
  })

  it('are found by a brand that contains the owner’s name', async () => {
    await using world = await startWorldWithThreat((event) => {
      event.brand.name = 'Jane Roe Bakery'
      event.observed_data.whois.owner_name = 'Jane Roe'
    })
    const { member } = world.slack
    await member.command('/threat', ID)
    for (const typed of ['Jane Roe Bakery', 'bakery', 'jane-roe-bakery']) {
      const { text } = await member.command('/threat', `find ${typed}`)
      expect(text).toContain('1 threat event with')
    }
  })

  it('are listed one page at a time', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    const summary = { domain: 'x[.]example', verdict: '⚪ no criticality', date: undefined }
    for (let index = 10; index < 27; index += 1)
      await world.app.store.threatMemory.remember({
        workspaceId: WORKSPACE,
        environment: 'production',
        eventId: ID.replace(/..$/, String(index)),
        summary,
        traits: ['brand many'],
        now: new Date(Date.now() - index * 60_000),
      })
    const first = await member.command('/threat', 'find many')
    expect(first.text).toContain('17 threat events with “many”')
    expect(first.text).toContain('page 1 of 2')
    const secondPage = await member.click(first.message, 'Next', { until: 'page 2 of 2' })
    expect(secondPage.text).toContain(ID.replace(/..$/, '26'))
  })

  it('are searched if a domain is typed instead of an ID, in any spelling', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    expect((await member.command('/threat', 'unseen.example')).text).toContain(
      'what was looked up in this workspace is remembered for 90 days · to look up an event directly',
    )
    await member.command('/threat', ID)
    for (const typed of ['exa.mple', 'find hxxps[://]exa[.]mple/a', 'find exa(.)mple:8443,'])
      expect((await member.command('/threat', typed)).text, typed).toContain(ID)
  })

  it('are kept for as long as an admin sets, or not at all', async () => {
    await using world = await startWorldWithThreat()
    const { admin } = world.slack
    const { store } = world.app
    await admin.command('/threat', ID)
    await admin.command('/threat', 'memory 30', { until: '30 days' })
    expect((await readAuditLines(world)).at(-1)).toBe('/threat memory: threat events that were read: done')
    await sweepThreats(store, new Date(Date.now() + 31 * 86_400_000))
    const since = new Date(0)
    const remaining = await store.threatMemory.find({
      workspaceId: WORKSPACE,
      environment: 'production',
      traits: ['brand example shops'],
      since,
      limit: 9,
    })
    expect(remaining).toEqual([])
    // It was looked up in these days, but is forgotten.
    await admin.command('/threat', 'memory 90', { until: '90 days' })
    const forgotten = (await admin.command('/threat', 'find exa.mple')).text
    expect(forgotten).toContain('No remembered threat event has “exa[.]mple”')
    expect(forgotten).not.toContain('was looked up in this workspace in the last')
    await admin.command('/threat', 'memory 0', { until: 'not remembered' })
    await admin.command('/threat', ID)
    expect((await admin.command('/threat', 'find exa.mple')).text).toContain('doesn’t remember threat events')
    for (const typed of ['memory many', 'memory -1', 'memory 4000'])
      expect((await admin.command('/threat', typed)).text).toContain('a number from 0 to 3650')
  })

  it('are optional for an event’s card, which is shown even if they can’t be read or written', async () => {
    await using world = await startWorldWithThreat()
    const { threatMemory } = world.app.store
    const fail = () => Promise.reject(new Error('The database is unavailable.'))
    Object.assign(threatMemory, { remember: fail, countSharing: fail })
    expect((await world.slack.member.command('/threat', ID)).text).toContain('Leads to')
    expect(world.log.join('')).toContain('Could not remember a threat event.')
  })
})
