import { type Act, DatabaseUnavailable, NotDelivered } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { message, modalView } from '@signalman/slack'
import type { InputBlock } from '@slack/types'
import { expect, it } from 'vitest'
import { type Answer, createOpenAnswer } from '../../src/bot/answer.ts'
import { explain } from '../../src/bot/request/explain.ts'
import type { HandledRequest, WindowState } from '../../src/bot/routes/command-context.ts'
import { createLog } from '../../src/log.ts'

/** Opens answers whose placeholders are due at once. `sent` lists what was sent, and where. */
function createAnswers({ isResponseUrlRefused = false, outages = 0 } = {}) {
  const sent: string[] = []
  const states: WindowState[] = []
  const slack = {
    postEphemeral: async (_: object, userId: string, { text }: { text: string }) =>
      void sent.push(`only to ${userId}: ${text}`),
    postDirect: async (userId: string, { text }: { text: string }) =>
      void sent.push(`DM to ${userId}: ${text}`),
    openView: () => Promise.reject(new Error('An API error occurred: expired_trigger_id')),
    async pushView(triggerId: string) {
      if (triggerId === 'full') throw new Error('An API error occurred: push_limit_reached')
      return 'V4'
    },
    updateView: async (viewId: string) => {
      if (viewId === 'closed') throw new Error('An API error occurred: not_found')
      sent.push(`window ${viewId}`)
    },
  }
  const openAnswer = createOpenAnswer({
    // Only the methods that this test needs.
    responder: {
      async respond({ responseUrl }: { responseUrl: string }) {
        sent.push(responseUrl)
        if (isResponseUrlRefused) throw new Error('used_url')
      },
    } as never,
    clients: {
      async forWorkspace() {
        outages -= 1
        if (outages >= 0) throw new DatabaseUnavailable(new Error('closed'))
        return slack
      },
    } as never,
    windowStates: {
      async write(_owner, _form, state) {
        states.push(state)
        return ''
      },
    },
    requestDeadlines: { modalDeadlineMs: 0, placeholderMs: 0 },
    log: createLog('silent'),
  })
  return { sent, states, openAnswer }
}

const request = (responseUrl: string, more: Partial<HandledRequest> = {}): HandledRequest => ({
  workspaceId: 'T1',
  channelId: 'C1',
  userId: 'U1',
  reference: 'R',
  surface: { kind: 'command', responseUrl, triggerId: '' },
  ...more,
})

it('says that Signalman is working, unless something else does', async () => {
  const { sent, openAnswer } = createAnswers()
  openAnswer(request('quiet'), { isQuiet: true })
  openAnswer(request('waiting'), {})
  await expect.poll(() => sent).toContain('waiting')
  expect(sent).toEqual(['waiting'])
})

it('posts the answer if the response_url is refused, but not that Signalman is working', async () => {
  const { sent, openAnswer } = createAnswers({ isResponseUrlRefused: true })
  const answer = openAnswer(request('refused'), {})
  await expect.poll(() => sent).toEqual(['refused'])
  await answer.put(message('Done.'))
  expect(sent).toEqual(['refused', 'refused', 'only to U1: Done.'])
})

it('says where the answer is if one was promised and then posted in the channel', async () => {
  const { sent, openAnswer } = createAnswers()
  const answer = openAnswer(request('waiting'), {})
  await expect.poll(() => sent).toEqual(['waiting'])
  await answer.put(undefined)
  expect(sent).toEqual(['waiting', 'waiting'])
  await openAnswer(request('quick'), { isQuiet: true }).put(undefined)
  expect(sent).not.toContain('quick')
})

it('isn’t delivered after an act, which must not be repeated, if Slack no longer opens its window', async () => {
  const { openAnswer } = createAnswers()
  const surface = { kind: 'command', responseUrl: 'here', triggerId: 'expired' } as const
  const answer = openAnswer(request('', { surface, act: act(false) }), { isQuiet: true })
  await expect(answer.put({ title: 'Edit', blocks: [] })).rejects.toThrow(NotDelivered)
})

it.each([
  { where: 'the channel', isResumed: false, text: 'only to U1: Done.' },
  // Whoever asked may no longer be there, and a reload removes such a message.
  { where: 'a DM if the act was resumed', isResumed: true, text: 'DM to U1: Done.' },
])('goes to $where without a response_url', async ({ isResumed, text }) => {
  const { sent, openAnswer } = createAnswers()
  const surface = { kind: 'none' } as const
  await openAnswer(request('', { surface, act: act(isResumed) }), {}).put(message('Done.'))
  expect(sent).toEqual([text])
})

const inWindow = (modalId: string, more: Partial<HandledRequest> = {}) =>
  request('', { surface: { kind: 'window', modalId }, ...more })

it('shows a window under an act again only there, also if that fails, and not if it was closed', async () => {
  const { sent, openAnswer } = createAnswers()
  const options = { inPlace: true, isQuiet: true, redraws: { environment: 'ote' } } as const
  await openAnswer(inWindow('V1'), options).put(message('Now.'))
  await openAnswer(inWindow('V1'), options).showProblem(explain(new UserError('It’s gone.')))
  await openAnswer(inWindow('closed'), options).put(message('Now.'))
  await openAnswer(inWindow('closed'), options).showProblem(explain(new UserError('It’s gone.')))
  expect(sent).toEqual(['window V1', 'window V1'])
  await openAnswer(inWindow('closed'), { inPlace: true }).put(message('Done.'))
  expect(sent.at(-1)).toBe('only to U1: Done.')
})

it.each([
  { what: 'an outcome', show: (answer: Answer) => answer.put(message('Done.')) },
  { what: 'a form again', show: (answer: Answer) => answer.fill(FORM, message('It’s gone.')) },
])('shows $what in the window of an act once the database answers again', async ({ show }) => {
  const { sent, openAnswer } = createAnswers({ outages: 1 })
  const open = () => openAnswer(inWindow('V1', { act: act(true) }), { inPlace: true, isQuiet: true })
  await expect(show(open())).rejects.toThrow()
  expect(sent).toEqual([])
  await show(open())
  expect(sent).toEqual(['window V1'])
})

it('remembers what every window of a stack shows, unless it has inputs or an outcome', async () => {
  const { states, openAnswer } = createAnswers()
  const below = [{ viewId: 'V1', line: '/hc list --env ote' }]
  const window = { environment: 'ote', line: '/hc show a --env ote', below } as const
  const ote = { environment: 'ote', window } as const
  const form = { title: 'Edit', form: { id: 'edit', submit: 'Save' }, blocks: [] }
  const input: InputBlock = { type: 'input', label: { type: 'plain_text', text: 'Name' }, element: NAME }
  const surface = { kind: 'window', modalId: 'V2', triggerId: 'now' } as const
  const pushed = { ...ote, surface, opensModal: true, line: '/hc edit a' }
  await openAnswer(inWindow('V2', { ...ote, line: '/hc show b' }), { inPlace: true }).put(message('b'))
  await openAnswer(inWindow('V2', { ...ote, act: act(false) }), { inPlace: true }).put(message('Taken.'))
  await openAnswer(request('', pushed), {}).put(form)
  await openAnswer(request('', pushed), {}).put({ ...form, blocks: [input] })
  const stack = [{ viewId: 'V2', line: '/hc show a --env ote' }, ...below]
  expect(states).toEqual([
    { environment: 'ote', channelId: 'C1', line: '/hc show b --env ote', below },
    { environment: 'ote', channelId: 'C1', line: '/hc show a --env ote', below },
    { environment: 'ote', channelId: 'C1', line: '/hc edit a --env ote', below: stack },
    { environment: 'ote', channelId: 'C1', below: stack },
  ])
})

it('opens a fourth window in the place of the third, over the same windows', async () => {
  const { sent, states, openAnswer } = createAnswers()
  const below = [{ viewId: 'V2' }, { viewId: 'V1', line: '/hc list --env ote' }]
  const surface = { kind: 'window', modalId: 'V3', triggerId: 'full' } as const
  const third = { environment: 'ote', window: { environment: 'ote', line: '/hc show a', below } } as const
  await openAnswer(request('', { ...third, surface, line: '/hc show b' }), {}).put(message('b'))
  expect(sent).toEqual(['window V3'])
  expect(states.at(-1)).toEqual({ environment: 'ote', channelId: 'C1', line: '/hc show b --env ote', below })
})

const FORM = modalView({ title: 'Edit', blocks: [] })
const NAME = { type: 'plain_text_input', action_id: 'name' } as const

/** Only what an answer reads. */
const act = (isResumed: boolean) => ({ isResumed }) as Act
