import { type Driver, readText } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { WORKSPACE, type World } from '../../world.ts'
import { requestLargestOrder } from './largest-order.ts'
import { APPROVALS_CHANNEL, addOrder, findOrderState, modalShows, startOrders } from './order-helpers.ts'

type Person = Driver['member']

/** A workspace with a waiting order of the member, and two approvers besides them. */
async function startTwoApprovers(
  request: (world: World) => Promise<void> = (world) => addOrder(world, world.slack.member),
) {
  const world = await startOrders()
  const { slack } = world
  await slack.load({ people: [{ name: 'bob', realName: 'Bob' }] })
  const { people } = await slack.admin.state()
  const bob = slack.user(people.find(({ name }) => name === 'bob')?.id ?? '')
  await bob.join(APPROVALS_CHANNEL)
  await request(world)
  return { world, member: slack.member, ann: slack.admin, bob }
}

const openApproval = (person: Person) =>
  person.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })

/** Presses Ask in the approval window. The window to ask in is then on top of it. */
async function pressAsk(person: Person): Promise<void> {
  const { view } = await person.view()
  await person.click(view, 'Ask', { until: modalShows('Ask about order 1') })
}

/** The approval window, below the one in which the person asks. */
const readWindow = async (person: Person) => (await person.views())[0]?.view

async function waitForWindow(person: Person, text: string): Promise<void> {
  await expect.poll(async () => readText(await readWindow(person))).toContain(text)
}

const readQuestions = async ({ app }: World) => (await app.store.orders.find(WORKSPACE, 1))?.content.questions

/** That nobody can approve in this window anymore. */
async function expectNoApproval(person: Person): Promise<void> {
  const window = await readWindow(person)
  expect(window?.submit ?? null).toBeNull()
  expect(JSON.stringify(window?.blocks)).not.toContain('/cert-order ask')
}

describe('the approval window, after Ask was pressed in it', () => {
  it('shows what was asked, by whom and when, also by someone else meanwhile', async () => {
    const { world, ann, bob } = await startTwoApprovers()
    await using _ = world
    await openApproval(ann)
    await pressAsk(ann)
    await openApproval(bob)
    await pressAsk(bob)
    await bob.submit({ Question: 'Why a new key?' }, { until: modalShows('Why a new key?') })
    expect(readText(await readWindow(ann))).not.toContain('Why a new key?')
    await ann.submit({ Question: 'Which server?' }, { until: modalShows('Which server?') })
    await waitForWindow(ann, '“Which server?” Not answered.')
    const [first, second] = (await readQuestions(world)) ?? []
    const shown = readText(await readWindow(ann))
    expect(shown).toMatch(/Bob asked \s*: “Why a new key\?” Not answered\./)
    const dates = JSON.stringify((await readWindow(ann))?.blocks)
    for (const question of [first, second])
      expect(dates).toContain(String(Math.floor(Date.parse(question?.at ?? '') / 1000)))
    // Nobody asks again before the answer, and the order can still be approved.
    expect(JSON.stringify((await readWindow(ann))?.blocks)).not.toContain('/cert-order ask')
    await ann.close()
    await ann.submit({}, { until: modalShows('was received') })
    expect(await findOrderState(world)).toBe('received')
  })

  it('shows the questions of two approvers who ask at the same time', async () => {
    const { world, ann, bob } = await startTwoApprovers()
    await using _ = world
    for (const person of [ann, bob]) {
      await openApproval(person)
      await pressAsk(person)
    }
    await Promise.all([
      ann.submit({ Question: 'Which server?' }, { until: modalShows('Which server?') }),
      bob.submit({ Question: 'Why a new key?' }, { until: modalShows('Why a new key?') }),
    ])
    await waitForWindow(ann, '“Which server?” Not answered.')
    await waitForWindow(bob, '“Why a new key?” Not answered.')
    expect(await readQuestions(world)).toHaveLength(2)
    // Whoever was second sees both.
    const windows = await Promise.all([ann, bob].map(async (person) => readText(await readWindow(person))))
    expect(windows.some((text) => text.includes('Which server?') && text.includes('Why a new key?'))).toBe(
      true,
    )
  })

  it('says that someone else has decided, and offers no Approve, if the question is refused', async () => {
    const { world, ann, bob } = await startTwoApprovers()
    await using _ = world
    await openApproval(ann)
    await pressAsk(ann)
    await bob.command('/cert-order', 'reject 1', { until: modalShows('Reject order 1') })
    await bob.submit({ Reason: 'Wrong names.' }, { until: modalShows('was rejected') })
    const { text } = await ann.submit({ Question: 'Which server?' }, { until: 'no longer waiting' })
    expect(text).toContain('Its status is “Rejected”')
    await waitForWindow(ann, 'Order 1 is no longer waiting for a decision. Its status is “Rejected”.')
    await expectNoApproval(ann)
    // What was typed stays on top of it.
    expect(JSON.stringify((await ann.view()).view.blocks)).toContain('Which server?')
  })

  it('says so too if it was decided before Ask was pressed', async () => {
    const { world, member, ann } = await startTwoApprovers()
    await using _ = world
    const { view } = await openApproval(ann)
    await member.command('/cert-order', 'withdraw 1', { until: 'was withdrawn' })
    await ann.click(view, 'Ask', { until: 'no longer waiting' })
    await waitForWindow(ann, 'Its status is “Withdrawn”.')
    await expectNoApproval(ann)
  })

  it('never offers to approve what was withdrawn at the same time, whatever comes first', async () => {
    const { world, member, ann } = await startTwoApprovers()
    await using _ = world
    await openApproval(ann)
    await pressAsk(ann)
    await Promise.all([
      ann.submit(
        { Question: 'Which server?' },
        { until: /Which server\?[\s\S]*Not answered|no longer waiting/ },
      ),
      member.command('/cert-order', 'withdraw 1', { until: 'was withdrawn' }),
    ])
    expect(await findOrderState(world)).toBe('withdrawn')
    // The window shows the order as it was when the question was recorded, or that it is withdrawn. Approving is refused either way.
    await expect
      .poll(async () => readText(await readWindow(ann)))
      .toMatch(/“Which server\?” Not answered|Its status is “Withdrawn”/)
    if (!(await readWindow(ann))?.submit) return
    await ann.close()
    await ann.submit({}, { until: 'Its status is “Withdrawn”' })
    expect(await world.service.orders()).toEqual([])
  })

  it('shows the answer of Reject in its place, not that the order was decided', async () => {
    const { world, ann } = await startTwoApprovers()
    await using _ = world
    const { view } = await openApproval(ann)
    await ann.click(view, 'Reject', { until: modalShows('Reject order 1') })
    await ann.submit({ Reason: 'Wrong names.' }, { until: modalShows('was rejected') })
    await expect.poll(() => world.log.some((line) => line.includes("Couldn't redraw an answer"))).toBe(true)
    const windows = await ann.views()
    expect(windows).toHaveLength(1)
    expect(readText(windows[0]?.view)).toContain('Wrong names.')
  })

  it('shows the question also if it was asked from a later page', async () => {
    const { world, ann } = await startTwoApprovers(({ slack }) => requestLargestOrder(slack.member))
    await using _ = world
    const first = await openApproval(ann)
    await ann.click(first.view, 'Next page', { until: modalShows('Page 2 of') })
    await pressAsk(ann)
    await ann.submit({ Question: 'Which server?' }, { until: modalShows('Which server?') })
    await waitForWindow(ann, '“Which server?” Not answered.')
    expect(readText(await readWindow(ann))).toContain('Page 1 of')
  })
})
