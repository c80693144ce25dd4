import type { PressAnswer } from '@signalman/playground'
import { type Answer, createDriver, readText, type User } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { LINES } from '../../src/demo/story.ts'
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
  (await person.messages('operations')).filter((message) => readText(message).includes(text))

/** What a visitor does in each step, and what they must see then. */
const STEPS: Readonly<Record<string, (visitor: Visitor) => Promise<void>>> = {
  async break({ person, press }) {
    const { statusText, channel } = await press('break')
    expect(channel).toBe('C0OPERATNS')
    const [, name = ''] = /“(.+)” has stopped/.exec(statusText ?? '') ?? []
    expect(name).not.toBe('')
    // No card names it yet: the server wasn't stopped before.
    await person.see(`${name} is down`)
    const [card, ...others] = await findCards(person, `${name} is down`)
    expect(others).toEqual([])
    await person.click(card, 'I’m on it', { until: 'You’re on it' })
    // Then the card is edited, and its buttons move.
    const readCard = async () => (await findCards(person, `${name} is down`))[0]
    await expect.poll(async () => readText(await readCard())).toContain('is on it since')
  },
  async ask({ person, press }) {
    const { draft } = await press('down')
    await person.type(draft ?? '', { until: 'Outlet vouchers' })
  },
  async recover({ person, press }) {
    const { statusText } = await press('break')
    const [, name = ''] = /“(.+)” has stopped/.exec(statusText ?? '') ?? []
    await expect.poll(async () => (await findCards(person, name)).length).toBeGreaterThan(0)
    expect((await press('restart')).statusText).toContain(`“${name}”`)
    await expect
      .poll(async () => readText((await findCards(person, name)).at(-1)))
      .toMatch(/^🟢.*(?:is up again|are all up again)/)
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

it('tells the truth ten minutes after the start, in any order, and again', MINUTES, async () => {
  await using demo = await startLateDemo()
  const { member, admin } = createDriver(demo.page)
  const asMember = createVisitor(demo.page, member, 'Admin')
  for (const step of ['threat', 'order', 'recover', 'ask', 'break']) await STEPS[step]?.(asMember)
  // Someone else goes on, while what the member stopped is still down.
  const asAdmin = createVisitor(demo.page, admin, 'Member')
  for (const step of ['recover', 'break', 'ask', 'recover', 'order']) await STEPS[step]?.(asAdmin)
})

it('says so if there is nothing to stop or to start, and fills in the lines', MINUTES, async () => {
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
  const lines = await Promise.all(Array.from({ length: LINES.length }, (_, index) => press(`line-${index}`)))
  for (const { draft = '' } of lines) {
    const { text } = await member.type(draft, { until: isAnswered })
    const caption = LINES.find(([line]) => line === draft)?.[1] ?? ''
    expect(text.includes('This needs the admin role'), draft).toBe(caption.includes('for admins'))
    expect(text, draft).not.toMatch(/did you mean|went wrong|reference|doesn’t take/i)
  }
})
