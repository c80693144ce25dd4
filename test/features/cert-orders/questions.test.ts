import { type Driver, readText } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { UNTIL_FORM } from '../../acts/act-kind.ts'
import { WORKSPACE, type World } from '../../world.ts'
import {
  APPROVALS_CHANNEL,
  addOrder,
  findOrderState,
  listDirectMessages,
  modalShows,
  startOrders,
  waitForDirectMessage,
} from './order-helpers.ts'

type Person = Driver['member']
type Messages = Awaited<ReturnType<Person['messages']>>

const includes = (messages: Messages, text: string): Messages =>
  messages.filter((message) => readText(message).includes(text))

const findCard = async (admin: Person): Promise<Messages[number] | undefined> =>
  includes(await admin.messages(), 'Approve order 1?')[0]

async function ask(person: Person, text: string, card?: Messages[number]): Promise<void> {
  await (card ? person.click(card, 'Ask', UNTIL_FORM) : person.command('/cert-order', 'ask 1', UNTIL_FORM))
  await person.submit({ Question: text }, { until: modalShows(text) })
  await person.close({ all: true })
}

const findOrderId = async ({ app }: World) => (await app.store.orders.find(WORKSPACE, 1))?.id

const readQuestions = async ({ app }: World) => (await app.store.orders.find(WORKSPACE, 1))?.content.questions

describe('a question about an order', () => {
  it('reaches the requester, and its answer the thread of the card, without a decision', async () => {
    await using world = await startOrders({ channelId: APPROVALS_CHANNEL })
    const { member, admin } = world.slack
    await addOrder(world, member)
    await expect.poll(() => findCard(admin)).toBeDefined()
    await ask(admin, 'Which server is it for?', await findCard(admin))
    await waitForDirectMessage(member, 'asks about your order 1: “Which server is it for?”')
    expect(await findOrderState(world)).toBe('awaiting')
    await expect.poll(async () => readText(await findCard(admin))).toContain('Not answered.')

    const [question] = includes(await member.messages('dm'), 'asks about your order 1')
    await member.click(question, 'Answer', { until: modalShows('Which server is it for?') })
    await member.submit({ Answer: 'The new one in Oslo.' }, { until: modalShows('in Oslo') })
    await member.close({ all: true })
    const findAnswer = async () => includes(await admin.messages(), 'You asked: “Which server is it for?”')
    await expect.poll(async () => (await findAnswer()).length).toBe(1)
    const [answer] = await findAnswer()
    expect(answer?.threadTs).toBe((await findCard(admin))?.ts)
    expect(readText(answer)).toContain('answered: “The new one in Oslo.”')
    expect(JSON.stringify(answer?.blocks)).toContain(admin.id)
    // The question has no Answer button anymore, and everyone sees what was answered.
    await waitForDirectMessage(member, 'asked about order 1: “Which server is it for?”')
    await expect.poll(async () => readText(await findCard(admin))).toContain('in Oslo')
    const window = await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
    expect(window.text).toContain('asked')
    expect(window.text).toContain('answered: “The new one in Oslo.”')
    await admin.submit({}, { until: modalShows('was received') })
    await expect.poll(() => findOrderState(world)).toBe('received')
    expect(await findAnswer()).toHaveLength(1)
    expect(includes(await member.messages('dm'), 'asked about order 1: “Which')).toHaveLength(1)
    expect(includes(await member.messages('dm'), 'asks about your order 1')).toEqual([])
    const verbs = (await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 20 })).map(
      ({ verb, after }) => [verb, after],
    )
    expect(verbs).toContainEqual([
      '/cert-order reply',
      expect.objectContaining({ answer: 'The new one in Oslo.', state: 'awaiting' }),
    ])
  })

  it('is answered by a DM if there is no approvals channel', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    await ask(admin, 'Why a wildcard?')
    await waitForDirectMessage(member, '“Why a wildcard?”')
    await member.command('/cert-order', 'reply 1', { until: modalShows('Why a wildcard?') })
    await member.submit({ Answer: 'For previews.' }, { until: modalShows('For previews.') })
    await waitForDirectMessage(admin, 'You asked: “Why a wildcard?”')
  })

  it('is asked once until it is answered, and never of oneself', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    await member.command('/cert-order', 'ask 1', { until: 'you’d ask yourself' })
    await ask(admin, 'First?')
    await admin.command('/cert-order', 'ask 1', { until: 'the requester hasn’t answered yet' })
    await admin.command('/cert-order', 'reply 1', { until: 'it isn’t for you' })
    const window = await member.command('/cert-order', 'reply 1 The old one, in Bergen', {
      until: modalShows('First?'),
    })
    expect(JSON.stringify(window.view?.view.blocks)).toContain('"initial_value":"The old one, in Bergen"')
    expect(await readQuestions(world)).toHaveLength(1)
  })

  it('isn’t answered once the order is decided, and the requester’s message says so', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    await ask(admin, 'Still needed?')
    await waitForDirectMessage(member, '“Still needed?”')
    await member.command('/cert-order', 'reply 1', { until: modalShows('Still needed?') })
    await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
    await admin.submit({}, { until: modalShows('was received') })
    await waitForDirectMessage(member, 'An answer is no longer needed.')
    // What was typed stays in the window.
    const { text } = await member.submit(
      { Answer: 'Yes, it is.' },
      { until: 'is no longer waiting for a decision' },
    )
    expect(text).toContain('order 1')
    expect((await readQuestions(world))?.[0]?.answer).toBeUndefined()
    expect((await listDirectMessages(admin)).some((message) => message.includes('Yes, it is.'))).toBe(false)
  })

  it.each([
    ['in the thread of the card', { channelId: APPROVALS_CHANNEL }],
    ['as a DM if there is no approvals channel', {}],
  ])('is called unanswered %s once, after the requester has left', async (_, policy) => {
    await using world = await startOrders(policy)
    const { member, admin } = world.slack
    await addOrder(world, member)
    await ask(admin, 'Which server is it for?')
    await waitForDirectMessage(member, '“Which server is it for?”')
    await member.updateAccount({ deleted: true })
    const listTold = async () =>
      includes(await admin.messages('channelId' in policy ? undefined : 'dm'), 'nobody will answer you')
    await expect.poll(async () => (await listTold()).length).toBe(1)
    const [told] = await listTold()
    expect(readText(told)).toContain('You asked: “Which server is it for?”')
    expect(JSON.stringify(told?.blocks)).toContain(admin.id)
    if ('channelId' in policy) expect(told?.threadTs).toBe((await findCard(admin))?.ts)
    await admin.command('/cert-order', 'show 1', { until: 'has left the workspace' })
    // Nothing tells it again.
    await world.app.store.orders.redraw([{ id: (await findOrderId(world)) ?? '', workspaceId: WORKSPACE }])
    await admin.command('/cert-order', 'ask 1', { until: 'nobody would answer' })
    expect(await listTold()).toHaveLength(1)
  })
})
