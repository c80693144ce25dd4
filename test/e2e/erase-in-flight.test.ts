import { describe, expect, it } from 'vitest'
import { erasePersonVerb } from '../../src/cli/erase.ts'
import { SHARED_DATABASES } from '../databases/databases.ts'
import { eitherOf } from '../long.ts'
import { startWorld, WORKSPACE, type World } from '../world.ts'

const COUNT = 12

const readLog = (world: World) =>
  world.app.store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 200 })

const untilAtService = (world: World, method: 'POST' | 'PUT') =>
  expect.poll(() => world.service.requests(method), { timeout: 20_000 }).not.toEqual([])

describe.each(eitherOf(SHARED_DATABASES))('erase-person on $name', ({ start }) => {
  async function startOn() {
    await using stack = new AsyncDisposableStack()
    const { url, keys } = stack.use(await start())
    const environment = { DATABASE_URL: url, ENCRYPTION_KEYS: keys }
    const checks = Array.from({ length: COUNT }, (_, index) => ({
      name: `web-${index}`,
      target: 'w.example.com',
    }))
    const world = stack.use(await startWorld({ checks, environment }))
    const moved = stack.move()
    return {
      world,
      erase: (userId: string) => erasePersonVerb.run([WORKSPACE, userId, '--yes'], environment),
      [Symbol.asyncDispose]: () => moved.disposeAsync(),
    }
  }

  it('wins over an act that is waiting for the service', async () => {
    await using started = await startOn()
    const { world, erase } = started
    const { admin } = world.slack
    await world.service.faults({ method: 'POST', path: '/auth/v1/tokens', kind: 'hold' })
    const running = admin.command('/hc', 'token-generate', { until: 'stored it' })
    await untilAtService(world, 'POST')
    expect(JSON.stringify(await readLog(world))).toContain(admin.id)
    expect(await erase(admin.id)).toBe(0)
    await world.service.faults()
    await running
    const rows = await readLog(world)
    expect(JSON.stringify(rows)).not.toContain(admin.id)
    const ended = rows.filter(({ verb, outcome }) => verb === '/hc token-generate' && outcome === 'done')
    expect(ended).toMatchObject([{ actor: { userId: 'erased' } }])
    expect(ended[0]).not.toHaveProperty('object')
  })

  it('wins over a job that is running', async () => {
    await using started = await startOn()
    const { world, erase } = started
    const { member } = world.slack
    const preview = await member.command('/hc', 'edit web-* --frequency 45', { until: 'Nothing has' })
    await world.service.faults({ method: 'PUT', path: '/healthcheck', kind: 'hold' })
    await member.click(preview.message, `Change ${COUNT}`, { until: 'Started' })
    await untilAtService(world, 'PUT')
    expect(await erase(member.id)).toBe(0)
    await world.service.faults()
    await member.until('the end of the job', ({ messages }) =>
      /(?:Done|Ended): /.test(JSON.stringify(messages)),
    )
    const rows = await readLog(world)
    expect(JSON.stringify(rows)).not.toContain(member.id)
    expect(rows.filter(({ verb, outcome }) => verb === '/hc edit' && outcome === 'done')).toHaveLength(
      // One for the start of the job.
      COUNT + 1,
    )
  })
})
