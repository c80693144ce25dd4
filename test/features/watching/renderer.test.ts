import { describe, expect, it } from 'vitest'
import { startWatchedWorld, untilPolled, untilPosted } from './watched-world.ts'

const NAMES = Array.from({ length: 8 }, (_, index) => `web-${index}`)
const CHECKS = NAMES.map((name) => ({ name, status: 'HEALTHY', target: `https://${name}.example.com/` }))

describe('many health checks that go down together', () => {
  it.each([
    { layout: 'a table', refusedBlock: undefined, blockType: 'table' },
    { layout: 'lines of text if Slack refuses tables', refusedBlock: 'table', blockType: 'section' },
  ])('share one card with $layout', { timeout: 60_000 }, async ({ refusedBlock, blockType }) => {
    const { world, channelId } = await startWatchedWorld({ checks: CHECKS })
    await using _ = world
    if (refusedBlock) {
      const methods = ['chat.postMessage', 'chat.update']
      await world.slack.faults(
        ...methods.map((method) => ({
          method,
          kind: 'refuse-block' as const,
          block: refusedBlock,
          times: 100,
        })),
      )
    }
    await untilPolled(world)
    const checks = await world.service.checksNamed('web-*')
    // Polls fail until all checks are down, so the first successful poll sees all of them down.
    await world.service.faults({ kind: 'status', status: 503, path: '/healthcheck', times: 1000 })
    await Promise.all(checks.map(({ uuid }) => world.service.setStatus(uuid, 'UNHEALTHY')))
    await world.service.faults()
    const [storm] = await untilPosted(world, channelId, (posts) =>
      posts.some(({ text }) => text.includes('8 health checks are down')),
    )
    const blocksJson = JSON.stringify(storm?.blocks)
    expect(blocksJson).toContain(`"${blockType}"`)
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
