import { describe, expect, it } from 'vitest'
import { startWorld, type World } from './world.ts'

const CHECKS = [{ name: 'web', alerts: [['ann@example.com']] }]
const ROOT = '/healthcheck/v1/healthchecks'

/** The sorted paths of all requests to the service so far, without query strings. */
const listRequests = async ({ service }: World): Promise<string[]> =>
  (await service.requests()).map(({ path }) => path.split('?')[0] ?? '').sort()

async function startWithStalledReads() {
  const world = await startWorld({ checks: CHECKS })
  const [check] = await world.service.checksNamed('web')
  await world.service.clearRequests()
  await world.service.faults({ path: ROOT, kind: 'hold' })
  return { world, uuid: check?.uuid ?? '' }
}

describe('parallel reads', () => {
  it.each([
    { verb: 'show', paths: ['', '/alerts'] },
    { verb: 'alerts', paths: ['', '/alerts'] },
    { verb: 'delete', paths: ['', '/alerts'] },
    { verb: 'alert-edit', words: '1', paths: ['', '/alerts'] },
  ])(
    'request the check and its alerts at the same time for /hc $verb UUID',
    async ({ verb, words = '', paths }) => {
      const { world, uuid } = await startWithStalledReads()
      await using _world = world
      const answer = world.slack.member.command('/hc', `${verb} ${uuid} ${words}`.trim())
      await expect.poll(() => listRequests(world)).toEqual(paths.map((path) => `${ROOT}/${uuid}${path}`))
      await world.service.faults()
      await answer
    },
  )

  it('don’t start when a person of another organization is refused', async () => {
    const { world } = await startWithStalledReads()
    await using _world = world
    const person = world.slack.user('U0FOREIGN1')
    const [channel] = Object.keys((await person.state()).messages)
    const answer = await person.command('/hc', 'list', { channel: channel ?? 'general' })
    expect(answer.text).toContain('only works for people of this workspace')
    expect(await listRequests(world)).toEqual([])
  })
})

it('lists all health checks once to find one whose name has a slip', async () => {
  await using world = await startWorld({
    checks: [{ name: 'Kiosk checkout' }],
    serviceLimits: { namesKeptMs: 30_000 },
  })
  const { text } = await world.slack.member.command('/hc', 'delete "Kiosk chekout"')
  expect(text).toContain('Did you mean this one?')
  const listings = (await world.service.requests('GET')).filter(({ path }) => /offset=0/.test(path))
  expect(listings.filter(({ path }) => !/name=/.test(path))).toHaveLength(1)
})
