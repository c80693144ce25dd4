import type { PressAnswer } from '@signalman/playground'
import { type Answer, createDriver, readText, type User } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { createRandom, type Random, readSeed } from '../random.ts'
import { pressPanel, startLateDemo } from './demo-world.ts'

const MINUTES = { timeout: 180_000 }

interface Visitor {
  person: User
  /** The other person, who acts in some steps. */
  colleague: string
  press(button: string): Promise<PressAnswer>
}

function createVisitor(page: string, person: User, colleague: string): Visitor {
  return {
    person,
    colleague,
    press: (actionId) => pressPanel(page, person, actionId),
  }
}

/** The final answer, not the notice that the app is still working. */
const isAnswered = ({ outcome, messages, view }: Answer): boolean =>
  outcome.ok && (view !== undefined || messages.some(({ text }) => !text.startsWith('Still working')))

const findCards = async (person: User, text: string) =>
  (await person.messages('operations')).filter(
    (message) => !message.ephemeral && readText(message).includes(text),
  )

/** What a visitor does in each step, and what they must see then. */
const STEPS: Readonly<Record<string, (visitor: Visitor) => Promise<void>>> = {
  async break({ person, press }) {
    const { statusText, channel } = await press('break')
    expect(channel).toBe('C0OPERATNS')
    const [, name = ''] = /“(.+)” has stopped/.exec(statusText ?? '') ?? []
    expect(name).not.toBe('')
    // No card names it yet, because the server wasn't stopped before.
    const readCard = async () => (await findCards(person, name)).at(-1)
    await expect.poll(async () => readText(await readCard())).toMatch(/(?:is|are) down/)
    const card = await readCard()
    // Somebody may be on the other outages of the card.
    const button = readText(card).includes('Nobody is on') ? 'I’m on it' : 'Take over'
    await person.click(card, button, { until: 'You’re on it' })
    await expect.poll(async () => readText(await readCard())).toContain('has been on it since')
  },
  async ask({ person, press }) {
    const { draft = '' } = await press('down')
    const { text } = await person.type(draft, { until: isAnswered })
    // The service knows of a change before the next poll.
    await expect.poll(async () => (await findCards(person, '🔴')).length > 0).toBe(text.includes('🔴'))
  },
  async recover({ person, press }) {
    const { statusText } = await press('break')
    const [, name = ''] = /“(.+)” has stopped/.exec(statusText ?? '') ?? []
    await expect.poll(async () => (await findCards(person, name)).length).toBeGreaterThan(0)
    expect((await press('restart')).statusText).toContain(`“${name}”`)
    await expect
      .poll(async () => readText((await findCards(person, name)).at(-1)))
      .toMatch(/^🟢.*(?:is|are|are all) up again/)
    const { draft } = await press('history')
    await person.type(draft ?? '', { until: 'Total downtime' })
  },
  async order({ person, colleague, press }) {
    const before = (await findCards(person, 'Review and approve')).length
    expect((await press('order')).statusText).toContain(colleague)
    await expect.poll(async () => (await findCards(person, 'Review and approve')).length).toBe(before + 1)
    const card = (await findCards(person, 'Review and approve')).at(-1)
    await person.click(card, 'Review and approve', {
      until: ({ view }) => readText(view).includes('shop.example.com'),
    })
    await person.submit({}, { until: ({ view }) => readText(view).includes('was received') })
    await person.close({ all: true })
  },
  async threat({ person, colleague, press }) {
    const { draft, statusText } = await press('threat')
    expect(statusText).toContain(`${colleague} posted`)
    await person.type(draft ?? '', { until: 'example-shops-login[.]test' })
  },
}

/** Shuffles the steps by the seed of the run. */
function shuffleSteps(random: Random): string[] {
  const left = Object.keys(STEPS)
  return Array.from({ length: left.length }, () => left.splice(random.below(left.length), 1)[0] ?? '')
}

it('tells the truth ten minutes after the start, in any order, and again', MINUTES, async () => {
  await using demo = await startLateDemo()
  const { member, admin } = createDriver(demo.page)
  const random = createRandom(readSeed())
  const asMember = createVisitor(demo.page, member, 'Admin')
  for (const step of shuffleSteps(random)) await STEPS[step]?.(asMember)
  // Someone else goes on, while what the member stopped may still be down.
  const asAdmin = createVisitor(demo.page, admin, 'Member')
  for (const step of shuffleSteps(random)) await STEPS[step]?.(asAdmin)
})

it('begins with everything up, and then shows exactly the one that was stopped', MINUTES, async () => {
  await using demo = await startLateDemo()
  const { member } = createDriver(demo.page)
  const { press } = createVisitor(demo.page, member, 'Admin')
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

it('says nothing about what was known when a mute for a deploy is ended early', MINUTES, async () => {
  await using demo = await startLateDemo()
  const { member } = createDriver(demo.page)
  const { press } = createVisitor(demo.page, member, 'Admin')
  const inOperations = { channel: 'operations' }
  await press('break')
  await member.see('Shop checkout is down')
  const asked = await member.command('/hc', 'mute all 30m', { ...inOperations, until: isAnswered })
  await member.click(asked.message, 'Mute everything', { until: 'Muted' })
  const { statusText = '' } = await press('break')
  const [, second = ''] = /“(.+)” has stopped/.exec(statusText) ?? []
  await expect
    .poll(async () => (await member.command('/hc', 'down', { ...inOperations, until: isAnswered })).text)
    .toContain(second)
  const before = (await member.messages('operations')).filter(({ ephemeral }) => !ephemeral).length
  await member.command('/hc', 'unmute all', { ...inOperations, until: 'Ended' })
  // What fell during the mute is told. Once it is, the channel has heard everything that the end of the mute says.
  await expect.poll(async () => (await findCards(member, second)).length).toBeGreaterThan(0)
  const told = (await member.messages('operations')).filter(({ ephemeral }) => !ephemeral).slice(before)
  expect(told.map(readText).filter((text) => text.includes('Shop checkout'))).toEqual([])
})

it('says so if there is nothing to stop or to start', MINUTES, async () => {
  await using demo = await startLateDemo()
  const { member } = createDriver(demo.page)
  const { press } = createVisitor(demo.page, member, 'Admin')
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
