import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import type { LeasedWork } from '../../../../packages/durable/src/engine/leased-work.ts'
import type { FirstProbe } from '../../../../src/domain/outages/outage.ts'
import { createFirstProbeWork } from '../../../../src/features/watching/first-probe/first-probe-work.ts'
import { createLog } from '../../../../src/log.ts'
import type { HealthCheck } from '../../../../src/service/health-checks.ts'
import type { Api } from '../../../../src/service/service.ts'
import { createModel, UUIDS } from '../model/model.ts'
import { startWatchedWorld, untilPolled, untilPosted, WAIT_TIMEOUT_MS } from '../watched-world.ts'

it('shows the first probe on the card and in its thread', async () => {
  const site = createServer((_, answer) => void answer.writeHead(503).end()).listen(0, '127.0.0.1')
  await once(site, 'listening')
  const { port } = site.address() as AddressInfo
  const target = `http://127.0.0.1:${port}/`
  const { world, channelId } = await startWatchedWorld({
    checks: [{ name: 'web-1', status: 'HEALTHY', protocol: 'HTTP', target, port }],
    environment: { DIAGNOSE_FORBID: 'none' },
  })
  await using _world = world
  await untilPolled(world)
  const [check] = await world.service.checksNamed('web-1')
  await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
  await untilPosted(
    world,
    channelId,
    (posts) => posts[0]?.text.includes('Seen from here: it responds with HTTP 503') ?? false,
  )
  const listReplies = async () => {
    const { messages } = await world.slack.member.state()
    return (messages[channelId] ?? []).filter(({ ts, threadTs }) => threadTs && threadTs !== ts)
  }
  await expect.poll(listReplies, { timeout: WAIT_TIMEOUT_MS }).toHaveLength(1)
  const [reply] = await listReplies()
  expect(reply?.text).toContain('🔎 web-1 seen from here: it responds with HTTP 503 (')
  expect(reply?.text).toMatch(new RegExp(`Port ${port} of 127.0.0.1: connected in \\d+ ms · HTTP: 503 in`))
  site.close()
})

it('doesn’t connect to forbidden targets', async () => {
  const site = createServer().listen(0, '127.0.0.1')
  await once(site, 'listening')
  const { port } = site.address() as AddressInfo
  let connections = 0
  site.on('connection', () => {
    connections += 1
  })
  const target = `http://127.0.0.1:${port}/`
  const { world, channelId } = await startWatchedWorld({
    checks: [{ name: 'web-1', status: 'HEALTHY', protocol: 'HTTP', target, port }],
    environment: { DIAGNOSE_FORBID: '127.0.0.0/8' },
  })
  await using _world = world
  await untilPolled(world)
  const [check] = await world.service.checksNamed('web-1')
  await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
  await untilPosted(world, channelId, (posts) => posts.length === 1)
  await world.service.setStatus(check?.uuid ?? '', 'HEALTHY')
  const posts = await untilPosted(world, channelId, (all) => all[0]?.text.includes('is up again') ?? false)
  expect(posts[0]?.text).not.toContain('Seen from here')
  expect(connections).toBe(0)
  site.close()
})

/** A model that records which checks it probed. */
async function startWithProbes() {
  const probedUuids: string[] = []
  const model = await createModel({
    async probeLocally({ uuid }: HealthCheck): Promise<FirstProbe> {
      probedUuids.push(uuid)
      return { at: new Date(0), phrase: 'refused', detail: `probe ${probedUuids.length}` }
    },
  })
  return { model, probedUuids, [Symbol.asyncDispose]: () => model[Symbol.asyncDispose]() }
}

it('wakes message delivery only after saving a first probe', async () => {
  let wakeCount = 0
  let isSaved = true
  const probe: FirstProbe = { at: new Date(0), phrase: 'refused', detail: '' }
  const createWork = (result: FirstProbe | undefined) =>
    createFirstProbeWork({
      watching: {
        firstProbes: {
          findCheckToProbe: async () => ({ environment: 'production', uuid: 'a1' }),
          save: async () => isSaved,
        },
      },
      // Cast, because only this method is called.
      getApi: async () => ({ healthChecks: { get: async () => ({}) } }) as unknown as Api,
      probeLocally: async () => result,
      wake: () => {
        wakeCount += 1
      },
      log: createLog('silent'),
    })
  // Cast, because only these fields are read.
  const leased = { work: { workspaceId: 'T1', key: 'outage' } } as LeasedWork
  await createWork(probe).run(leased)
  expect(wakeCount).toBe(1)
  // Nothing was probed, because the target isn't allowed.
  await createWork(undefined).run(leased)
  // The outage already has a first probe.
  isSaved = false
  await createWork(probe).run(leased)
  expect(wakeCount).toBe(1)
})

it('probes each new outage once, and only three outages in a storm', async () => {
  await using started = await startWithProbes()
  const { model, probedUuids } = started
  await model.watch(0, 0, 1)
  await model.watch(1, 0, 1)
  await model.passMinute()
  model.setStatus(0, 'UNHEALTHY')
  await model.passWithoutFaults(3)
  // Two channels watch the check, but its outage is probed only once.
  expect(probedUuids).toEqual(['a1'])
  for (const { model: shown } of model.channels.messages.values())
    expect(shown).toMatchObject({ firstProbe: { phrase: 'refused', detail: 'probe 1' } })
  for (const index of UUIDS.keys()) model.setStatus(index, 'UNHEALTHY')
  await model.passWithoutFaults(3)
  expect(probedUuids).toHaveLength(4)
})

it('posts one card and shows the first probe on it, even if the process dies at any step', async () => {
  for (let step = 0; step < 40; step += 1) {
    await using started = await startWithProbes()
    const { model } = started
    await model.watch(0, 0, 1)
    await model.passMinute()
    model.setStatus(0, 'UNHEALTHY')
    model.dieAt({ afterCalls: step >> 1, isBefore: step % 2 === 0 })
    await model.passWithoutFaults(6)
    const cards = [...model.channels.messages.values()].map(({ model: shown }) => shown)
    expect(cards, `step ${step}`).toHaveLength(1)
    expect(cards[0], `step ${step}`).toMatchObject({ firstProbe: { phrase: 'refused' } })
    expect([...model.channels.posted.values()], `step ${step}`).toEqual([1])
  }
}, 120_000)
