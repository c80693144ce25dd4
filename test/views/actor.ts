import { setTimeout as pause } from 'node:timers/promises'
import { WATCH_WORK } from '../../src/features/watching/rows/work.ts'
import { createRequests } from '../bot/access/requests.ts'
import type { startStubbedApp } from '../bot/access/slack-stub.ts'
import { untilPolledAgain } from '../features/watching/polled-again.ts'
import { fillForm } from './fill-form.ts'
import { SAMPLE_CHANNEL, SAMPLE_WORKSPACE } from './sample-data.ts'
import { asFields, readShown, type ShownView } from './shown-views.ts'

/** The longest that a busy machine needs for the work that a request started. */
const SETTLE_TIMEOUT_MS = 240_000
const POLL_MS = 4
const LONGEST_PAUSE_MS = 200
/** Longer than several polls and the messages that they cause take on a busy machine. */
const MESSAGES_TIMEOUT_MS = 240_000
const MAX_PRESSED = 300

type StubbedApp = Awaited<ReturnType<typeof startStubbedApp>>

/** Don't wait for polls, because they keep their lease for half a minute. */
const isPoll = ({ kind }: { kind: string }): boolean => kind === WATCH_WORK.poll

async function settle({ app }: StubbedApp): Promise<void> {
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
  throw new Error('A request is still running.')
}

interface Submission {
  readonly answers?: object
  readonly meanwhile?: () => Promise<unknown>
}

/** A simulated Slack user who types commands, submits forms, and presses buttons. */
export function createActor(stubbed: StubbedApp, prefix: string) {
  const { slack, service } = stubbed
  const verbs = new Set<string>()
  const forms = new Set<string>()
  const pressed = new Set<string>()
  const shown: ShownView[] = []
  const causes = ['']
  let cause = ''
  let callsRead = 0

  /** Everything that the app has shown so far. An answer may be late, but it goes to the response URL of its own request. */
  function listShown(): readonly ShownView[] {
    for (const { method, body } of slack.calls.slice(callsRead)) {
      const [name = '', nth] = method.split('/')
      shown.push(...readShown({ method: name, body }, causes[Number(nth)] ?? cause))
    }
    callsRead = slack.calls.length
    return shown
  }

  function setCause(newCause: string): void {
    listShown()
    cause = newCause
    causes.push(newCause)
  }

  const requestsOf = (userId: string) =>
    createRequests(
      { userId, teamId: SAMPLE_WORKSPACE },
      {
        workspaceId: SAMPLE_WORKSPACE,
        channelId: SAMPLE_CHANNEL,
        responseUrl: `${slack.responseUrl}/${causes.length - 1}`,
      },
    )

  /** Sends a request. If a form is open after that, submits it: with these answers, after what happens meanwhile. */
  async function send(userId: string, body: string, { answers, meanwhile }: Submission = {}): Promise<void> {
    await stubbed.send(body)
    await settle(stubbed)
    const opened = listShown().filter((view) => view.cause === cause && view.kind === 'view')
    const form = opened.findLast(({ payload }) => payload.type === 'modal')?.payload
    if (form?.submit === undefined) return
    const { callback_id, private_metadata, blocks } = form
    forms.add(String(callback_id))
    await meanwhile?.()
    const submission = requestsOf(userId).submission(
      String(callback_id),
      String(private_metadata),
      { ...fillForm(form), ...answers },
      blocks,
    )
    const { view } = asFields(await stubbed.send(submission))
    if (view !== undefined) shown.push({ cause, kind: 'view', payload: asFields(view) })
    await settle(stubbed)
  }

  async function setStatuses(status: string, names: readonly string[]): Promise<void> {
    for (const { uuid, name } of await service.checksNamed('*'))
      if (names.includes(name)) await service.setStatus(uuid, status)
  }

  return {
    verbs,
    forms,
    listShown,
    async type(user: string, line: string, verb = readVerb(line), submission?: Submission): Promise<void> {
      setCause(line)
      verbs.add(verb)
      await send(user, requestsOf(user).command(`/${prefix}${line.slice(1)}`), submission)
    },
    /** A person mentions the app in a thread. */
    async mention(user: string, words: string, thread: string): Promise<void> {
      setCause(`@signalman ${words}`)
      await send(user, requestsOf(user).mention(` ${words}`, { thread }))
    },
    async home(): Promise<void> {
      setCause('App Home')
      await send(OTHER_PERSON, requestsOf(OTHER_PERSON).openedHome())
    },
    /** A person presses the newest button with such a line, perhaps in a thread. */
    async press(userId: string, line: RegExp, thread?: string): Promise<void> {
      const buttons = listShown().flatMap(({ payload }) => findButtons(payload))
      const button = buttons.findLast(({ value }) => line.test(value))
      if (!button) throw new Error(`There is no button with the line ${line}.`)
      setCause(`the button ${button.label}`)
      const message = thread && { message: { ts: '1.1', thread_ts: thread } }
      await send(userId, requestsOf(userId).action(button.value, button.action_id, { ...message }))
    },
    /** Presses each kind of button once, unless its line is none of `lines`, and calls `afterEach` with its cause. */
    async pressAll({
      lines = () => true,
      afterEach = async () => undefined,
    }: {
      lines?: (line: string) => boolean
      afterEach?: (cause: string) => Promise<unknown>
    } = {}): Promise<void> {
      for (let nth = 0; nth < listShown().length && pressed.size < MAX_PRESSED; nth += 1) {
        for (const { action_id, value, label } of findButtons(shown[nth]?.payload)) {
          if (pressed.has(label) || !lines(value)) continue
          pressed.add(label)
          setCause(`the button ${label}`)
          verbs.add(readVerb(value))
          await send(OTHER_PERSON, requestsOf(OTHER_PERSON).action(value, action_id))
          await afterEach(`${cause}: ${value}`)
        }
      }
    },
    /** Waits for a post with these words since then. */
    until: (words: string, since = 0) =>
      waitFor(`a post with “${words}”`, () =>
        listShown()
          .slice(since)
          .some(({ payload }) => String(payload.text).includes(words)),
      ),
    setStatuses,
    /** Causes an outage, and many at once, in a channel that watches the checks, pages about them, and ends them. */
    async watch(): Promise<void> {
      setCause('the posts in a watched channel')
      const alreadyShown = shown.length
      const waitForText = (words: string) => this.until(words, alreadyShown)
      // The polls that were already running and the first poll of the new watches are done.
      await untilPolledAgain({ service }, 8)
      await setStatuses('UNHEALTHY', ['web-0'])
      await waitForText('web-0')
      await setStatuses('UNHEALTHY', ['web-1', 'web-4', 'web-5', 'web-8', 'web-9', 'web-12'])
      await waitForText('5 more are down')
      await this.press(OTHER_PERSON, /^\/hc watch-page (?!.*--whom)/)
      await this.press(OTHER_PERSON, /^\/hc watch-page .*--whom/)
      await waitForText('asked to page')
      const names = await service.listAllNames()
      await setStatuses(
        'HEALTHY',
        names.filter((name) => name !== 'web-0'),
      )
      await waitForText('web-0 is down')
      await setStatuses('HEALTHY', ['web-0'])
      await waitForText('are up again')
    },
  }
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
