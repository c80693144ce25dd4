import { describe, expect, it } from 'vitest'
import type { World } from '../../../world.ts'
import { downloadFiles, ID, readAuditLines, startWorldWithThreat } from '../world.ts'

const SCREENSHOT_PATH = `/cti/v2/resources/${ID}/screenshot.png`
const SOURCE_PATH = `/cti/v2/resources/${ID}/source`

const runVerb = async (world: World, verb: 'screenshot' | 'source') =>
  (await world.slack.member.command('/threat', `${verb} ${ID}`)).text

describe('a screenshot', () => {
  it('is sent in a DM to the person who requested it, with alt text', async () => {
    await using world = await startWorldWithThreat()
    const { member } = world.slack
    const { message } = await member.command('/threat', ID)
    const { text } = await member.click((await member.click(message, 'Details')).view, 'Screenshot', {
      until: 'Sent to your DMs',
    })
    const name = `threat-${ID}-screenshot.png`
    expect(text).toContain('Sent to your DMs: 1 file. The screenshot of exa[.]mple.')
    const file = (await downloadFiles(world)).get(name)
    expect(file?.bytes.subarray(1, 4).toString()).toBe('PNG')
    expect(file?.altText).toBe('Screenshot of the page at exa[.]mple, taken by the service.')
    expect(file?.title).toBe(`Screenshot of threat event ${ID}`)
    // The card, the window, and the file, each as the event is then.
    expect((await world.service.requests()).map(({ path }) => path)).toEqual([
      ...Array(3).fill(`/cti/v2/events/${ID}`),
      SCREENSHOT_PATH,
    ])
    expect(await readAuditLines(world)).toEqual([
      `/threat: threat event ${ID} (exa[.]mple): done`,
      `/threat details: threat event ${ID} (exa[.]mple): done`,
      `/threat screenshot: threat event ${ID} (exa[.]mple): done`,
    ])
  })

  it('isn’t downloaded from an address outside the service, and the response shows that address defanged', async () => {
    await using world = await startWorldWithThreat()
    const origin = world.sandbox.productionUrl
    const addresses = [
      `${world.page.url}x.png`,
      `http://${new URL(origin).host}@127.0.0.1:${world.page.port}/x.png`,
      'javascript:alert(1)',
      `blob:${origin}/x`,
      'no address <!channel>',
    ]
    for (const [index, address] of addresses.entries()) {
      const id = `${ID.slice(0, -1)}${index}`
      const website = { screenshot_resource_url: address }
      await world.service.storeThreat(id, { domain: 'exa.mple', observed_data: { website } })
      await world.service.clearRequests()
      const { message } = await world.slack.member.command('/threat', id)
      expect(JSON.stringify(message?.blocks)).not.toMatch(/\/threat screenshot/)
      const { text } = await world.slack.member.command('/threat', `screenshot ${id}`)
      expect(text).toMatch(
        /The screenshot is at .*, which isn’t the service’s address, so Signalman doesn’t download it\./,
      )
      expect(text).not.toMatch(/https?:\/\//)
      expect((await world.service.requests()).every(({ path }) => path === `/cti/v2/events/${id}`)).toBe(true)
    }
    expect((await downloadFiles(world)).size).toBe(0)
  })
})

it('the source of a page is sent as a text file', async () => {
  await using world = await startWorldWithThreat()
  const { member } = world.slack
  const { message } = await member.command('/threat', ID)
  await member.click((await member.click(message, 'Details')).view, 'Page source', {
    until: 'Sent to your DMs',
  })
  const file = (await downloadFiles(world)).get(`threat-${ID}-page-source.txt`)
  expect(file?.bytes.toString()).toContain('<form action="/collect.php"')
})

it('says why a screenshot or a source can’t be fetched, and sends no file', async () => {
  await using world = await startWorldWithThreat()
  const { service, page } = world
  const NOT_FOUND = { errors: [{ code: 'NOT_FOUND', message: 'No picture was taken.' }] }
  /** As if the address led to the account's tokens. */
  const tokens = { kind: 'body', body: { message: 'OK', data: [{ data: 'secret' }] } } as const
  const json = { 'content-type': 'application/json' }
  const redirect = { kind: 'status', headers: { location: `${page.url}x.png` } } as const
  const redirected = 'The screenshot couldn’t be fetched. The service didn’t send a PNG'
  for (const [verb, fault, said] of [
    ['screenshot', { kind: 'status', status: 404, body: NOT_FOUND }, 'said: “No picture was taken.”'],
    ['screenshot', { ...tokens, headers: json }, 'didn’t send a PNG, JPEG, or GIF image of at most 8 MB and'],
    ['source', { ...tokens, headers: { 'content-type': 'text/plain' } }, 'send a text file of at most 4 MB.'],
    ...[301, 302, 303, 307, 308].map(
      (status) => ['screenshot', { ...redirect, status }, redirected] as const,
    ),
  ] as const) {
    await service.faults({ path: verb === 'source' ? SOURCE_PATH : SCREENSHOT_PATH, ...fault })
    expect(await runVerb(world, verb)).toContain(said)
  }
  await service.faults()
  const other = ID.replace(/a$/, 'b')
  await service.storeThreat(other, { domain: 'exa.mple' })
  const { text } = await world.slack.member.command('/threat', `screenshot ${other}`)
  expect(text).toContain(`Threat event ${other} has no screenshot that`)
  expect((await downloadFiles(world)).size).toBe(0)
})
