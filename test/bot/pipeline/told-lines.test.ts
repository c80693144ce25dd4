import { readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { createSandboxControl } from '../../sandbox-control.ts'
import { startWorld } from '../../world.ts'

const NONE = 'alerts web'

it('tells lines that mean the same environment where they’re typed, and names no other one', async () => {
  await using world = await startWorld({ checks: [{ name: 'web' }] })
  await createSandboxControl({ ...world.sandbox, productionUrl: world.sandbox.oteUrl }).addCheck({
    name: 'web',
  })
  const { member, admin } = world.slack
  const say = async (line: string) => readText((await member.command('/hc', line)).message)
  const tell = (line: string) => `type this there:\n${line}`
  expect(await say(NONE)).toContain(tell('/hc watch "web"'))
  await admin.command('/hc', 'env ote', { until: 'This channel now uses' })
  // In this channel, a line without an environment means OTE now.
  expect(await say(`${NONE} --env production`)).toContain(tell('/hc watch "web" --env production'))
  expect(await say('recipients nobody@example.com --env production')).toContain(
    '/hc recipients nobody@example.com NAME --env production --add',
  )
  expect(await say('recipients nobody@example.com')).toContain('/hc recipients nobody@example.com NAME --add')
  await admin.command('/hc', 'env production', { until: 'This channel now uses' })
  expect(await say('recipients nobody@example.com --env ote')).toContain(
    '/hc recipients nobody@example.com NAME --env ote --add',
  )
})
