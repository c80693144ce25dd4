import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createStopBudget, STOP_LIMIT_MS } from '../../src/app/stop.ts'
import { KEY_A, makeFolder } from '../databases/databases.ts'
import { readSource } from '../source-files.ts'
import { startWorld, type World } from '../world.ts'

const HANGS = { kind: 'delay', ms: 120_000 } as const
const GRACE_MS =
  Number(/terminationGracePeriodSeconds: (\d+)/.exec(readSource('docs/kubernetes/signalman.yaml'))?.[1]) *
  1000

it('fits the grace of the manifests, which also give migrations time to start', () => {
  expect(GRACE_MS).toBeGreaterThan(STOP_LIMIT_MS)
  expect(readSource('docs/kubernetes/signalman.yaml')).toMatch(
    /startupProbe:\s+httpGet: \{ path: \/healthz, port: http \}\s+periodSeconds: 5\s+failureThreshold: 60/,
  )
})

it('gives each step what is left, and the rest of the stop until the time is up', async () => {
  const budget = createStopBudget(3000)
  expect(budget.limit(60_000)).toBe(2000)
  expect(budget.limit(500)).toBe(500)
  expect(createStopBudget(0).limit(500)).toBe(0)
  expect(await budget.finish(Promise.resolve())).toBe(true)
  await expect(budget.finish(Promise.reject(new Error('Broken.')))).rejects.toThrow('Broken.')
  const short = createStopBudget(30)
  short.begin()
  expect(await short.finish(new Promise(() => undefined))).toBe(false)
})

/** Starts a change that hangs at the service, and then makes Slack hang. */
async function hangEverywhere({ service, slack, app }: World) {
  await service.faults({ method: 'POST', path: '/auth/v1/tokens', ...HANGS, times: 1 })
  void slack.admin.command('/hc', 'token-generate').catch(() => undefined)
  await expect.poll(async () => (await service.requests('POST')).length).toBeGreaterThan(0)
  await slack.faults({ method: '*', ...HANGS, times: 99 })
  // A load balancer uses `/readyz`, so the stop begins with the lame duck.
  await fetch(`${app.url}/readyz`)
}

it('ends although the service and Slack hang', async () => {
  using folder = makeFolder()
  const environment = {
    DATABASE_URL: `sqlite:${join(folder.path, 'a.db')}`,
    ENCRYPTION_KEYS: KEY_A,
  }
  await using world = await startWorld({ environment, stopLimitMs: 4000 })
  await hangEverywhere(world)
  const stopped = world.app[Symbol.asyncDispose]().then(() => 'stopped')
  expect(await Promise.race([stopped, pause(HANGS.ms / 4, 'hangs')])).toBe('stopped')
})
