import { describe, expect, it } from 'vitest'
import { startWatchedWorld, untilPolled, untilPosted } from './watched-world.ts'

const NAMES = Array.from({ length: 8 }, (_, index) => `web-${index}`)
const CHECKS = NAMES.map((name) => ({ name, status: 'HEALTHY', target: `https://${name}.example.com/` }))

describe('many health checks that go down together', () => {
  it('share one card that names them', { timeout: 60_000 }, async () => {
    const { world, channelId } = await startWatchedWorld({ checks: CHECKS })
    await using _ = world
    await untilPolled(world)
    const checks = await world.service.checksNamed('web-*')
    // Polls fail until all checks are down, so the first successful poll sees all of them down.
    await world.service.faults({ kind: 'status', status: 503, path: '/healthcheck', times: 1000 })
    await Promise.all(checks.map(({ uuid }) => world.service.setStatus(uuid, 'UNHEALTHY')))
    await world.service.faults()
    const [storm] = await untilPosted(world, channelId, (posts) =>
      posts.some(({ text }) => /^🔴 web-\d, web-\d, and 6 more are down/.test(text)),
    )
    const blocksJson = JSON.stringify(storm?.blocks)
    for (const name of NAMES) {
      expect(storm?.text).toContain(name)
      expect(blocksJson).toContain(name)
    }
    await Promise.all(checks.map(({ uuid }) => world.service.setStatus(uuid, 'HEALTHY')))
    const posts = await untilPosted(
      world,
      channelId,
      ([post]) => post?.text.includes('all up again') === true,
    )
    expect(posts).toHaveLength(1)
    expect(world.log.filter((line) => line.includes('"level":50'))).toEqual([])
  })
})
