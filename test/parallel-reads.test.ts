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
    { verb: 'alert-recipients', words: '1', paths: ['', '/alerts'] },
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

  it.each([
    { userId: 'U0FOREIGN1', message: 'only works for people of this workspace' },
    { userId: 'U0LEFT0001', message: 'account is deactivated' },
  ])('don’t start when $userId is refused', async ({ userId, message }) => {
    const { world } = await startWithStalledReads()
    await using _world = world
    const person = world.slack.user(userId)
    const [channel] = Object.keys((await person.state()).messages)
    const answer = await person.command('/hc', 'list', { channel: channel ?? 'general' })
    expect(answer.text).toContain(message)
    expect(await listRequests(world)).toEqual([])
  })
})
