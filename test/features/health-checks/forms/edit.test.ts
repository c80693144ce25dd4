import type { Answer } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import type { CheckSeed } from '../../../sandbox-control.ts'
import { shareWorld } from '../../../shared-world.ts'
import { startWorld, type World } from '../../../world.ts'

const WEB: CheckSeed = { name: 'web', status: 'HEALTHY', target: 'www.example.com' }

/**
 * A check without a server address. If the listing shows no address for this check but one for another check, it's clear that the
 * service lists only addresses that someone set.
 */
const OTHER: CheckSeed = { name: 'other', target: 'other.example.com' }

async function findUuid(world: World): Promise<string> {
  const [found] = await world.service.checksNamed('web')
  return found?.uuid ?? ''
}

const readLastUpdate = async (world: World) => (await world.service.requests('PUT')).at(-1)?.body

/** For the tests that send no direct messages. */
const share = shareWorld()

it('saves nothing of an edit if somebody else has changed the same setting, and says what', async () => {
  const world = await share(WEB)
  const { member } = world.slack
  const uuid = await findUuid(world)
  await member.command('/hc', 'edit web')
  await world.service.change(uuid, { port: 8443 })
  await world.service.clearRequests()
  const { text } = await member.submit({ Name: 'shop', Port: '9000' }, { until: 'so nothing was saved' })
  expect(text).toMatch(
    /It was changed after you saw it, so nothing was saved\. Its port is now 8443, not 443\./,
  )
  expect(await world.service.requests('PUT')).toEqual([])
  const view = await member.view()
  expect(JSON.stringify(view.view.blocks)).toContain('"initial_value":"shop"')
  const fresh = await member.click(view, 'Open current version', { until: 'Edit health check' })
  expect(JSON.stringify(fresh.view?.view.blocks)).toContain('"initial_value":"8443"')
})

it('leaves two ports as they are that the service has accepted', async () => {
  const world = await share({ name: 'web', target: 'https://www.example.com:9443/', port: 443 })
  await world.slack.member.command('/hc', 'edit web')
  await world.slack.member.submit({ 'Time between checks': '90' }, { until: 'Changed 1 health check.' })
  const [put] = await world.service.requests('PUT')
  expect(put?.body).toMatchObject({ port: 443, frequency: 90 })
  await world.slack.member.close({ all: true })
  await world.slack.member.command('/hc', 'edit web')
  const refused = await world.slack.member.submit({ Port: '8443' }, { until: /Changed 1|would be/ })
  expect(refused.text).toContain('says port 9443, but its port would be 8443')
})

/** Values that people can't set, but that the service may have. */
it.each([
  { frequency: 0 },
  { frequency: 40_000_000 },
  { customer_id: 0 },
  { protocol: 'ICMP' },
  { target: 'https://ann:pw@shop.example.com' },
  { http_server_address: 'edge.example.com' },
])('validates only what was edited, and keeps the rest as the service has it: %o', async (odd) => {
  await using world = await startWorld({ checks: [WEB, OTHER] })
  const { member } = world.slack
  const uuid = await findUuid(world)
  const path = `/healthcheck/v1/healthchecks/${uuid}`
  await world.service.answerWith(path, { ...(await world.service.check(uuid)), ...odd })
  await member.command('/hc', 'edit web')
  const until = /Changed 1|saved another|Enter|Choose|can’t contain|Nothing was changed/
  const saved = await member.submit({ Port: '8443' }, { until })
  expect(saved.text).not.toMatch(/Enter a|Choose|can’t contain/)
  expect(await readLastUpdate(world)).toMatchObject({ port: 8443, ...odd })
  await member.close({ all: true })
  await member.command('/hc', 'edit web')
  const refused = await member.submit({ 'Time between checks': '400 days' }, { until })
  expect(JSON.stringify(refused.view?.view.blocks)).toContain('Enter a time from 1 s')
})

it('doesn’t claim, or offer to undo, what somebody else has saved meanwhile', async () => {
  await using world = await startWorld({ checks: [WEB] })
  const { member } = world.slack
  await member.command('/hc', 'edit web')
  await world.service.change(await findUuid(world), { port: 8443 })
  await world.service.clearRequests()
  const { text } = await member.submit({ Port: '8443' }, { until: 'so nothing was saved' })
  expect(text).toContain('It’s already so.')
  expect(await world.service.requests('PUT')).toEqual([])
  expect(await member.messages('dm')).toEqual([])
})

it('says that the check was deleted after the window was opened, and leads to the list', async () => {
  const world = await share(WEB)
  const { member, admin } = world.slack
  await member.command('/hc', 'edit web')
  await admin.command('/hc', 'delete web')
  await admin.submit({ 'Type the name of the health check': 'web' }, { until: 'Deleted' })
  const { text } = await member.submit({ Port: '8443' }, { until: 'so nothing was saved' })
  expect(text).toContain('It was deleted after you saw it, so nothing was saved.')
  expect(text).toContain('List health checks')
  expect(text).not.toMatch(/It was changed|Open current version/)
})

const SHOP: CheckSeed = {
  ...WEB,
  http_server_address: '192.0.2.7',
  verify_ssl: false,
  alerts: [['ops@example.com', 'web@example.com'], ['boss@example.com']],
}

it('doesn’t delete a check whose alerts somebody changes while the window is open', async () => {
  const world = await share(SHOP, OTHER)
  const { member } = world.slack
  await member.command('/hc', 'delete web')
  await world.service.addAlert(await findUuid(world), ['new@example.com'])
  const { text } = await member.submit(
    { 'Type the name of the health check': 'web' },
    { until: 'Nothing was changed' },
  )
  expect(text).toContain('Its recipients have changed.')
  expect(await world.service.countChecks()).toBe(2)
})

describe('an edit window', () => {
  it('sends only what the person changed, and what others changed meanwhile as they left it', async () => {
    const world = await share(WEB)
    const { member } = world.slack
    await member.command('/hc', 'edit web')
    await world.service.change(await findUuid(world), { port: 8443, verify_ssl: false })
    await member.submit({ 'Time between checks': '90' }, { until: 'Changed 1' })
    expect(await readLastUpdate(world)).toMatchObject({ frequency: 90, port: 8443, verify_ssl: false })
    const { length } = await world.service.requests('PUT')
    await member.close({ all: true })
    await member.command('/hc', 'edit web')
    await member.submit({}, { until: 'Nothing was different, so nothing was saved.' })
    expect(await world.service.requests('PUT')).toHaveLength(length)
  })

  it.each([
    ['the usual port of another protocol, unless the field has one', 443, undefined, 80],
    ['the port that was typed with another protocol', 443, '443', 443],
  ])('sends %s', async (_, port, typed, expected) => {
    const world = await share({ ...WEB, port })
    const { member } = world.slack
    const window = await member.command('/hc', 'edit web')
    await member.choose(window.view, 'Protocol', 'HTTP', {
      until: ({ view }: Answer) => view !== undefined && !JSON.stringify(view).includes('verifySsl'),
    })
    await member.submit({ ...(typed && { Port: typed }) }, { until: 'Changed 1' })
    expect(await readLastUpdate(world)).toMatchObject({ protocol: 'HTTP', port: expected })
  })
})

describe('the server address that an edit doesn’t set', () => {
  const PINNED = { ...WEB, http_server_address: '192.0.2.7' }
  /** This target is its own address. */
  const LOCAL = { ...WEB, target: '127.0.0.1', http_server_address: '127.0.0.1' }

  async function applyChange(
    { slack: { member } }: World,
    shown: Parameters<typeof member.click>[0],
    label: string,
  ) {
    const preview = await member.click(shown, label, { until: '? This would ' })
    await member.click(preview.message ?? preview.view, 'Change 1', { until: 'Changed 1' })
  }

  it('is sent if DNS doesn’t return it for the target, and the answer says so and offers to follow DNS', async () => {
    const world = await share(PINNED, OTHER)
    const { member } = world.slack
    await member.command('/hc', 'edit web')
    const saved = await member.submit({ 'Time between checks': '90' }, { until: 'Changed 1' })
    expect(await readLastUpdate(world)).toMatchObject({ frequency: 90, http_server_address: '192.0.2.7' })
    expect(saved.text).toContain('Kept the server address 192.0.2.7. The service connects to it')
    await applyChange(world, saved.view, 'Follow DNS')
    await expect.poll(() => readLastUpdate(world)).not.toHaveProperty('http_server_address')
  })

  it('isn’t sent if the target resolves to it, and the answer offers to set it if the service uses another one', async () => {
    const world = await share(LOCAL, OTHER)
    const { member } = world.slack
    await member.command('/hc', 'edit web')
    const saved = await member.submit({ Target: 'www.example.com' }, { until: 'Changed 1' })
    expect(await readLastUpdate(world)).not.toHaveProperty('http_server_address')
    expect(saved.text).toMatch(/uses another server address: now 192\.0\.2\.\d+, was 127\.0\.0\.1\./)
    await applyChange(world, saved.view, 'Set 127.0.0.1')
    await expect.poll(() => readLastUpdate(world)).toMatchObject({ http_server_address: '127.0.0.1' })
  })

  it('is removed if the person empties the field', async () => {
    const world = await share(PINNED, OTHER)
    await world.slack.member.command('/hc', 'edit web')
    await world.slack.member.submit({ 'Server address': '' }, { until: 'Changed 1' })
    expect(await readLastUpdate(world)).not.toHaveProperty('http_server_address')
  })

  it('isn’t mentioned if the person sets one', async () => {
    const world = await share(PINNED, OTHER)
    await world.slack.member.command('/hc', 'edit web')
    const saved = await world.slack.member.submit({ 'Server address': '192.0.2.8' }, { until: 'Changed 1' })
    expect(await readLastUpdate(world)).toMatchObject({ http_server_address: '192.0.2.8' })
    expect(saved.text).not.toMatch(/Kept the|another server address/)
  })
})
