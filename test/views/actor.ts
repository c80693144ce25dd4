import { setTimeout as pause } from 'node:timers/promises'
import type { RunningApp } from '../../src/app.ts'
import { postSigned } from '../../src/doctor/reachability.ts'
import { WATCH_WORK } from '../../src/features/watching/rows/work.ts'
import { fillForm } from './fill-form.ts'
import type { SampleServers } from './sample-servers.ts'
import { asFields, SAMPLE_CHANNEL, SAMPLE_WORKSPACE } from './sample-slack.ts'

/** How long to wait for the work that a request started. Jobs that take longer keep running in the background. */
const SETTLE_TIMEOUT_MS = 2000
const POLL_MS = 10
const LONGEST_PAUSE_MS = 200
/** Longer than several polls and the messages that they cause take on a busy machine. */
const MESSAGES_TIMEOUT_MS = 60_000
const MAX_PRESSED = 300

type Fields = Readonly<Record<string, unknown>>

/** Don't wait for polls, because they keep their lease for half a minute. */
const isPoll = ({ kind }: { kind: string }): boolean => kind === WATCH_WORK.poll

/** Sends requests like Slack would, and waits until their work is done. */
function createSender(app: RunningApp, slack: SampleServers['slack'], secret: string) {
  let requests = 0

  async function settle(): Promise<void> {
    const deadline = performance.now() + SETTLE_TIMEOUT_MS
    // Reading the metrics takes milliseconds, so it looks less and less often.
    let waitMs = POLL_MS
    while (performance.now() < deadline) {
      await pause(waitMs)
      waitMs = Math.min(2 * waitMs, LONGEST_PAUSE_MS)
      if (!(await app.store.work.listLeases()).every(isPoll)) continue
      const text = await (await fetch(`${app.url}/metrics`)).text()
      if (text.includes('\nsignalman_requests_running 0')) return
    }
  }

  /** Sends a request like Slack would, and records the view in its acknowledgement. */
  async function send(body: Fields): Promise<void> {
    requests += 1
    const text = JSON.stringify({ ...body, team_id: SAMPLE_WORKSPACE, event_id: undefined, nth: requests })
    const answer = await postSigned(`${app.url}/slack/events`, secret, text, new Date())
    const { view } = asFields(await answer.text())
    if (view !== undefined) slack.call('views.update', { view })
    await settle()
  }

  return { send, settle, count: () => requests }
}

/** A simulated Slack user who types commands, submits forms, and presses buttons. */
export function createActor(
  app: RunningApp,
  { slack, service }: SampleServers,
  { secret, prefix }: { secret: string; prefix: string },
) {
  const verbs = new Set<string>()
  const forms = new Set<string>()
  const pressed = new Set<string>()

  const sender = createSender(app, slack, secret)
  const { send } = sender

  const context = (user: string) => ({
    team: { id: SAMPLE_WORKSPACE },
    user: { id: user, team_id: SAMPLE_WORKSPACE },
    channel: { id: SAMPLE_CHANNEL },
    trigger_id: `${sender.count()}.sample`,
  })

  async function submit(user: string, view: Fields): Promise<void> {
    forms.add(String(view.callback_id))
    const { channel: _, ...person } = context(user)
    const submitted = { ...view, id: `V${sender.count()}`, hash: `${sender.count()}`, state: fillForm(view) }
    await send({ type: 'view_submission', ...person, view: submitted })
  }

  /** Submits the modal that was opened, if it is a form. */
  async function submitOpened(user: string): Promise<void> {
    const modal = slack.lastModal()
    if (modal?.submit !== undefined) await submit(user, modal)
  }

  return {
    verbs,
    forms,
    async type(user: string, line: string, verb = readVerb(line)): Promise<void> {
      const [command = '', ...words] = line.slice(1).split(' ')
      slack.setCause(line)
      verbs.add(verb)
      await send({
        command: `/${prefix}${command}`,
        text: words.join(' '),
        user_id: user,
        channel_id: SAMPLE_CHANNEL,
        response_url: slack.responseUrl(),
        trigger_id: `${sender.count()}.sample`,
      })
      await submitOpened(user)
    },
    async home(): Promise<void> {
      slack.setCause('App Home')
      const event = { type: 'app_home_opened', tab: 'home', user: OTHER_PERSON }
      await send({ type: 'event_callback', event, authorizations: [{ team_id: SAMPLE_WORKSPACE }] })
    },
    /** Goes through all views and presses each kind of button once. */
    async pressAll(): Promise<void> {
      for (let nth = 0; nth < slack.shown.length && pressed.size < MAX_PRESSED; nth += 1) {
        for (const { action_id, value, label } of findButtons(slack.shown[nth]?.payload)) {
          if (pressed.has(label)) continue
          pressed.add(label)
          slack.setCause(`the button ${label}`)
          verbs.add(readVerb(value))
          const action = { type: 'button', action_id, value, block_id: 'b' }
          await send({
            type: 'block_actions',
            ...context(OTHER_PERSON),
            response_url: slack.responseUrl(),
            actions: [action],
          })
          await submitOpened(OTHER_PERSON)
        }
      }
    },
    /** Causes an outage, and many at once, in a channel that watches the checks, and ends them. */
    async watch(): Promise<void> {
      slack.setCause('the posts in a watched channel')
      await causeOutages({ slack, service })
    },
  }
}

async function causeOutages({ slack, service }: Pick<SampleServers, 'slack' | 'service'>): Promise<void> {
  const alreadyShown = slack.shown.length
  const waitForText = (words: string) =>
    waitFor(`a post with “${words}”`, () =>
      slack.shown.slice(alreadyShown).some(({ payload }) => String(payload.text).includes(words)),
    )
  const before = service.listings()
  // After eight listings, the polls that were already running and the first poll of the new watches are done.
  await waitFor('eight polls', () => service.listings() > before + 8)
  service.bringDown(['web-0'])
  await waitForText('web-0')
  service.bringDown(['web-1', 'web-4', 'web-5', 'web-8', 'web-9', 'web-12'])
  await waitForText('5 more are down')
  service.bringUp({ except: ['web-0'] })
  await waitForText('web-0 is down')
  service.bringUp({ except: [] })
  await waitForText('are up again')
}

async function waitFor(description: string, condition: () => boolean): Promise<void> {
  const deadline = performance.now() + MESSAGES_TIMEOUT_MS
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${description}.`)
    await pause(POLL_MS)
  }
}

const OTHER_PERSON = 'U0SAMPLE02'

const readVerb = (line: string): string => line.split(' ').slice(0, 2).join(' ')

interface ShownButton {
  action_id: string
  value: string
  /** The button's text, and the verb of the command line in its value. */
  label: string
}

/** Every button in a payload, and every option behind `···`, at any depth. */
function findButtons(part: unknown): ShownButton[] {
  if (Array.isArray(part)) return part.flatMap(findButtons)
  if (typeof part !== 'object' || part === null) return []
  const fields = asFields(part)
  const { action_id, value, text, options } = fields
  if (typeof action_id === 'string') {
    // An option behind `···` has a command line in its value, like a button.
    if (fields.type === 'overflow' && Array.isArray(options))
      return options.flatMap((option) => findButtons({ ...asFields(option), type: 'button', action_id }))
    if (fields.type === 'button' && typeof value === 'string')
      return [
        {
          action_id,
          value,
          label: `“${String(asFields(text).text).replaceAll(/\d+/g, 'N')}” (${readVerb(value)})`,
        },
      ]
  }
  return Object.values(fields).flatMap(findButtons)
}
