import { type Answer, createDriver, readText, type User } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { pressPanel, startLateDemo } from './demo-world.ts'

/** The final answer, not the notice that the app is still working. */
const isAnswered = ({ outcome, messages, view }: Answer): boolean =>
  outcome.ok && (view !== undefined || messages.some(({ text }) => !text.startsWith('Still working')))

it('begins with everything up, and then shows exactly the one that was stopped', async () => {
  await using demo = await startLateDemo()
  const { member } = createDriver(demo.page)
  const press = (actionId: string) => pressPanel(demo.page, member, actionId)
  const { draft = '' } = await press('down')
  const ask = async () => (await member.type(draft, { until: isAnswered })).text
  await expect
    .poll(async () => (await member.messages('operations')).map(({ text }) => text))
    .toEqual([expect.stringContaining('Admin started watching every health check')])
  expect(await ask()).not.toContain('🔴')
  await press('break')
  await member.see('Shop checkout is down')
  const answer = await ask()
  expect(answer.match(/🔴/g)).toHaveLength(1)
  expect(answer).toContain('Shop checkout')
})

it('shows at the bottom of the channel what a second stopped server did', async () => {
  await using demo = await startLateDemo()
  const { member } = createDriver(demo.page)
  await pressPanel(demo.page, member, 'break')
  await member.see('Shop checkout is down')
  const { statusText = '' } = await pressPanel(demo.page, member, 'break')
  const [, second = ''] = /“(.+)” has stopped/.exec(statusText) ?? []
  const last = async () => readText((await member.messages('operations')).at(-1))
  await expect.poll(last).toContain(second)
  expect(await last()).toContain('Shop checkout')
})

it('says so if there is nothing to stop or to start', async () => {
  await using demo = await startLateDemo()
  const { member } = createDriver(demo.page)
  const press = (actionId: string) => pressPanel(demo.page, member, actionId)
  expect(await press('restart')).toMatchObject({
    statusText: expect.stringContaining('No server is stopped'),
  })
  const names = new Set<string>()
  for (;;) {
    const { statusText = '' } = await press('break')
    const [, name] = /“(.+)” has stopped/.exec(statusText) ?? []
    if (name === undefined) {
      expect(statusText).toBe('All of the story’s servers have stopped already. Step 3 starts them again.')
      break
    }
    // Each press stops another one.
    expect(names).not.toContain(name)
    names.add(name)
  }
  const { statusText = '' } = await press('restart')
  for (const name of names) expect(statusText).toContain(`“${name}”`)
})

it('refuses a newcomer what the others may do, and says who can', async () => {
  await using demo = await startLateDemo()
  const { admin, member, user } = createDriver(demo.page)
  const { people } = await admin.state()
  const newcomer = user(people.find(({ name }) => name === 'newcomer')?.id ?? '')
  const ask = async (person: User) =>
    (await person.command('/hc', 'mute Blog* 2h', { channel: 'operations', until: isAnswered })).text
  expect(await ask(newcomer)).toMatch(/needs the operator role/)
  for (const person of [member, admin]) expect(await ask(person)).not.toMatch(/needs the/)
})
