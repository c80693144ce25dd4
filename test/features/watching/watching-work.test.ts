import { describe, expect, it } from 'vitest'
import { readPosts, startWatchedWorld, untilPolled, untilPosted } from './watched-world.ts'

describe('watching', () => {
  it('posts an outage once, and edits the post when the outage ends', async () => {
    const { world, channelId } = await startWatchedWorld({
      checks: [
        { name: 'web-1', status: 'HEALTHY' },
        { name: 'old-1', status: 'UNHEALTHY' },
      ],
    })
    await using _ = world
    await untilPolled(world)
    const [check] = await world.service.checksNamed('web-1')
    await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
    const [down] = await untilPosted(world, channelId, (posts) => posts.length > 0)
    expect(down?.text).toContain('web-1')
    await world.service.setStatus(check?.uuid ?? '', 'HEALTHY')
    const [up] = await untilPosted(world, channelId, ([post]) => post?.edited === true)
    expect(up?.ts).toBe(down?.ts)
    expect(await readPosts(world, channelId)).toHaveLength(1)
    expect(world.log.filter((line) => line.includes('"level":50'))).toEqual([])
  })

  it('reports a rejected token, and the recovery', async () => {
    const { world, channelId } = await startWatchedWorld({ checks: [{ name: 'web-1', status: 'HEALTHY' }] })
    await using _ = world
    await untilPolled(world)
    await world.service.faults({ kind: 'status', status: 401, path: '/healthcheck', times: 1000 })
    const [rejected] = await untilPosted(world, channelId, (posts) => posts.length > 0)
    expect(rejected?.text).toContain('An admin can replace it')
    await world.service.faults()
    const [recovered] = await untilPosted(world, channelId, ([post]) => post?.edited === true)
    expect(recovered?.text).toContain('I can see the health checks again')
    expect(recovered?.ts).toBe(rejected?.ts)
  })
})
