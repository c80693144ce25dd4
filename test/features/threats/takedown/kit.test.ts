import { hash } from 'node:crypto'
import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import type { World } from '../../../world.ts'
import { downloadFiles, ID, readAuditLines, startWorldWithThreat } from '../world.ts'

const KIT_NAME = `threat-${ID}-takedown.zip`

interface Manifest {
  environment: string
  times: Record<string, string | null>
  entries: { name: string; bytes: number; sha256: string; time: string | null }[]
  missing: { what: string; why: string }[]
}

async function requestKit(world: World) {
  const { text } = await world.slack.member.command('/threat', `kit ${ID}`, {
    until: 'Sent to your',
  })
  const zip = (await downloadFiles(world)).get(KIT_NAME)?.bytes ?? Buffer.alloc(0)
  const entries = unzipSync(zip)
  const manifest = JSON.parse(strFromU8(entries['manifest.json'] ?? new Uint8Array())) as Manifest
  return { text, zip, entries, manifest }
}

describe('a takedown kit', () => {
  it('can be requested from Details, and is one ZIP file with a manifest', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    const { message } = await member.command('/threat', ID)
    const { view } = await member.click(message, 'Details')
    const { text } = await member.click(view, 'Takedown kit', { until: 'Sent to your DMs' })
    expect(text).toContain(
      'Takedown kit of exa[.]mple: 4 letters, the screenshot, and the indicators: 1 domain, 2 URLs',
    )
    expect(text).toContain('Read the letters')
    const entries = unzipSync((await downloadFiles(world)).get(KIT_NAME)?.bytes ?? Buffer.alloc(0))
    expect(Object.keys(entries)).toEqual([
      'letter-registrar.txt',
      'letter-host-AS64500.txt',
      'letter-host-AS64501.txt',
      'letter-host.txt',
      `threat-${ID}.csv`,
      `threat-${ID}.stix.json`,
      'screenshot.png',
      'manifest.json',
    ])
    const manifest = JSON.parse(strFromU8(entries['manifest.json'] ?? new Uint8Array())) as Manifest
    expect(manifest).toMatchObject({
      environment: 'production',
      owner: expect.stringContaining('The screenshot shows the page unchanged.'),
      missing: [],
    })
    expect(manifest.times).toMatchObject({
      reported: '2026-11-18T14:00:00.000Z',
      domainRegistered: '2026-11-13T00:00:00.000Z',
    })
    expect(manifest.entries.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 }))).toEqual(
      Object.entries(entries)
        .filter(([name]) => name !== 'manifest.json')
        .map(([name, body]) => ({ name, bytes: body.length, sha256: hash('sha256', body, 'hex') })),
    )
    expect(manifest.entries.map(({ time }) => time)).toEqual([
      ...Array(4).fill('2026-11-18T14:00:00.000Z'),
      ...Array(2).fill('2026-11-19T08:00:00.000Z'),
      null,
    ])
    expect(await readAuditLines(world)).toContain(`/threat kit: threat event ${ID}: done`)
  })

  it('is byte-identical for the same event, and contains the files of an export', async () => {
    let now = Date.now()
    await using world = await startWorldWithThreat(undefined, { now: () => new Date(now) })
    const first = await requestKit(world)
    now += 60_000
    const second = await requestKit(world)
    expect(first.zip.equals(second.zip)).toBe(true)
    await world.slack.member.command('/threat', `export ${ID}`, { until: 'Sent to your' })
    const exported = await downloadFiles(world)
    for (const name of [`threat-${ID}.csv`, `threat-${ID}.stix.json`])
      expect(exported.get(name)?.bytes.equals(first.entries[name] ?? Buffer.alloc(0)), name).toBe(true)
  })

  it('hides the owner in every file', async () => {
    await using world = await startWorldWithThreat((event) => {
      event.comments = [{ content: 'Written by Somebody, owner@exa.mple', date: '2026-11-19T08:00:00Z' }]
      event.observed_data.website.page_title = 'Somebody at home'
      event.observed_data.website.final_url = 'https://exa.mple/?mail=owner%40exa.mple'
      event.observed_data.whois.registrar_name = 'Somebody, abuse@registrar.test, owner@exa.mple'
    })
    const { text, entries, manifest } = await requestKit(world)
    for (const body of Object.values(entries))
      expect(strFromU8(body)).not.toMatch(/somebody|owner(?:@|\[@\]|%40)/i)
    expect(strFromU8(entries['letter-registrar.txt'] ?? new Uint8Array())).toContain(
      'To: (personal data hidden), abuse[@]registrar[.]test, (personal data hidden)\n',
    )
    expect(manifest.missing).toEqual([{ what: 'indicators', why: 'Personal data was removed from 1 URL.' }])
    expect(text).toContain('systems. Personal data was removed from 1 URL. Read the letters')
  })

  it.each([
    { condition: 'has no screenshot', address: () => '', why: `Threat event ${ID} has no screenshot.` },
    {
      condition: 'has a screenshot on another site',
      address: () => 'https://elsewhere.test/a.png',
      why: 'which isn’t the service’s address',
    },
    {
      condition: 'has a screenshot that doesn’t exist',
      address: (origin: string) => `${origin}/cti/v2/none.png`,
      why: 'couldn’t be fetched',
    },
  ])('explains why it has no screenshot if the event $condition', async ({ address, why }) => {
    await using world = await startWorldWithThreat((event, origin) => {
      event.observed_data.website.screenshot_resource_url = address(origin)
    })
    const { text, entries, manifest } = await requestKit(world)
    expect(Object.keys(entries)).not.toContain('screenshot.png')
    expect(manifest.missing).toEqual([{ what: 'screenshot', why: expect.stringContaining(why) }])
    expect(text).toContain(why)
    expect(text).not.toContain('the screenshot, and')
  })

  it('is refused to guests, and never offered to them', async () => {
    await using world = await startWorldWithThreat(undefined, { guests: 'can-view' })
    const guest = world.slack.user('U0GUEST001')
    await guest.command('/threat', `kit ${ID}`, { until: 'Guests can view' })
    expect((await downloadFiles(world)).size).toBe(0)
    expect((await readAuditLines(world)).join()).toMatch(/\/threat kit: .*: refused/)
    const { message } = await guest.command('/threat', ID)
    expect(JSON.stringify((await guest.click(message, 'Details')).view)).not.toContain('threat kit')
  })

  it('isn’t created for an event with nothing to take down', async () => {
    await using world = await startWorldWithThreat()
    const otherId = ID.replace(/a$/, 'b')
    await world.service.storeThreat(otherId, { domain: 'not a domain' })
    const { text } = await world.slack.member.command('/threat', `kit ${otherId}`)
    expect(text).toContain('This event has no indicators to export.')
    expect((await downloadFiles(world)).size).toBe(0)
  })
})
