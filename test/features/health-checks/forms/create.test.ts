import { describe, expect, it } from 'vitest'
import { shareWorld } from '../../../shared-world.ts'
import type { World } from '../../../world.ts'

const CHECKS = '/healthcheck/v1/healthchecks'

const share = shareWorld()

async function fakeDetails(world: World, uuid: string, changes: object): Promise<void> {
  const data = JSON.parse(JSON.stringify({ ...(await world.service.check(uuid)), ...changes }))
  await world.service.answerWith(`${CHECKS}/${uuid}`, data)
}

const readLastUpdate = async (world: World) => (await world.service.requests('PUT')).at(-1)?.body

describe('an edit that doesn’t change a field', () => {
  it('keeps a name that is too long for its field', async () => {
    const world = await share({ name: 'web', protocol: 'TCP', target: '192.0.2.1', port: 25 })
    const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('web')
    const name = `web ${'n'.repeat(300)}`
    await fakeDetails(world, uuid, { name })
    await world.slack.member.command('/hc', `edit ${uuid}`)
    await world.slack.member.submit(
      { 'Time between checks': '90' },
      { until: /Changed 1|Nothing was changed/ },
    )
    expect(await readLastUpdate(world)).toMatchObject({ name, frequency: 90 })
  })

  it('keeps the service’s values even if the protocol is changed and then changed back', async () => {
    const world = await share(
      { name: 'web', http_server_address: '192.0.2.7', verify_ssl: false },
      { name: 'other' },
    )
    const { member } = world.slack
    await member.command('/hc', 'edit web', { until: ({ view }) => Boolean(view?.view.submit) })
    const untilShown = (text: string, isShown: boolean) => ({
      until: ({ view }: { view: unknown }) =>
        view !== undefined && JSON.stringify(view).includes(text) === isShown,
    })
    await member.choose(await member.view(), 'Protocol', 'TCP', untilShown('verifySsl', false))
    await member.choose(await member.view(), 'Protocol', 'HTTPS', untilShown('verifySsl', true))
    await member.submit({ 'Time between checks': '90' }, { until: 'Changed 1' })
    expect(await readLastUpdate(world)).toMatchObject({
      frequency: 90,
      verify_ssl: false,
      http_server_address: '192.0.2.7',
    })
  })

  it('doesn’t guess a value that the service didn’t return', async () => {
    const world = await share({ name: 'web' })
    const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('web')
    await fakeDetails(world, uuid, { protocol: undefined, verify_ssl: undefined })
    await world.slack.member.command('/hc', `edit ${uuid}`)
    const refused = await world.slack.member.submit({})
    expect(Object.keys(refused.view?.errors ?? {})).toContain('protocol')
    expect(await world.service.requests('PUT')).toEqual([])
  })
})

it('no window opens that would drop recipients that can’t be read', async () => {
  const world = await share({ name: 'web', alerts: [['ann@example.com'], ['bo@example.com']] })
  const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('web')
  const [alert] = await world.service.alerts(uuid)
  const recipients = ['ann@example.com', { email: 'boss@example.com' }]
  const data = [{ id: alert?.id, type: 'EMAIL', recipients }]
  await world.service.answerWith(`${CHECKS}/${uuid}/alerts`, data)
  for (const line of [`alert-edit ${uuid} ${alert?.id}`, `alert-add ${uuid}`, 'delete web']) {
    const refused = await world.slack.member.command('/hc', line)
    expect(refused.text, line).toMatch(/Signalman can’t read some of (?:the|its) recipients/)
    expect(refused.view, line).toBeUndefined()
  }
})

describe('a new check', () => {
  it.each([
    ['one', [{ customer_id: 2000 }, { customer_id: 2000 }], '2000'],
    ['two', [{ customer_id: 2000 }, { customer_id: 3000 }], undefined],
    ['no', [], undefined],
  ])('has the customer of all others if there is %s', async (_, customers, expected) => {
    const world = await share(...customers.map((customer, index) => ({ name: `web-${index}`, ...customer })))
    const { member } = world.slack
    const initial = async () => JSON.stringify(await member.view()).match(/"initial_value":"(\d+)"/)?.[1]
    await member.command('/hc', 'create')
    expect(await initial()).toBe(expected)
    await member.close({ all: true })
    await world.service.faults({ path: CHECKS, kind: 'status', status: 500, times: 20 })
    await member.command('/hc', 'create')
    expect(await initial()).toBe(undefined)
    await world.service.faults()
  })

  it('shows at the name field that the name is taken', async () => {
    const world = await share({ name: 'web', customer_id: 2000 })
    const { member } = world.slack
    await member.command('/hc', 'create --name web --target www.example.com --customer 2000')
    const { text } = await member.submit({}, { until: 'Nothing was changed' })
    const findPosition = (label: string) => text.indexOf(label)
    expect(text).toContain('Another check has this name')
    expect(findPosition('Another check has this name')).toBeGreaterThan(findPosition('Name'))
    expect(findPosition('Another check has this name')).toBeLessThan(findPosition('Target'))
  })

  it.each([
    { protocol: 'HTTP', port: undefined, target: 'http://a.example.com:8080/', expected: 8080 },
    { protocol: 'TCP', port: undefined, target: 'a.example.com', expected: 'required' },
    {
      protocol: 'HTTP',
      port: '80',
      target: 'http://a.example.com:8080/',
      expected: 'says port 8080, but its port would be 80',
    },
  ])('of $target by $protocol with the typed port $port has: $expected', async (row) => {
    const { protocol, port, target, expected } = row
    const world = await share()
    const { member } = world.slack
    await member.command('/hc', 'create')
    await member.choose(await member.view(), 'Protocol', protocol, {
      until: ({ view }) => view !== undefined && !JSON.stringify(view).includes('verifySsl'),
    })
    const answers = { Name: 'a', Target: target, 'Customer ID': '1', ...(port && { Port: port }) }
    const isSaved = typeof expected === 'number'
    const done = await member.submit(answers, isSaved ? { until: 'Created 1' } : undefined)
    if (isSaved) expect((await world.service.requests('POST'))[0]?.body).toMatchObject({ port: expected })
    else expect(done.view?.errors.port).toContain(expected)
  })
})
