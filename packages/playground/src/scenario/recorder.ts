import { messageBlocks } from '../elements.ts'
import { isFields, stringOf } from '../json.ts'
import type { Fields, InputValue, Json } from '../protocol.ts'
import type { Slack } from '../slack.ts'
import type { OnMessage, Scenario, Step } from './scenario.ts'

type Parts = Pick<Slack, 'people' | 'messages' | 'views'>

const text = (value: Json | undefined): string => stringOf(value) ?? ''

function handle({ people }: Parts, id: Json | undefined): string {
  return people.find(text(id))?.name ?? text(id)
}

function channelName({ people }: Parts, id: Json | undefined): string {
  const channel = people.channel(text(id))
  return channel?.kind === 'dm' ? 'dm' : (channel?.name ?? text(id))
}

/** A message, counted back from the last one among those with the element, or among all. */
function messageAt(slack: Parts, { channel, ts }: Fields, action?: string): OnMessage {
  const has = (one: Parameters<typeof messageBlocks>[0]) =>
    action === undefined || JSON.stringify(messageBlocks(one)).includes(JSON.stringify(action))
  const later = slack.messages.list(text(channel)).filter((one) => has(one) && Number(one.ts) > Number(ts))
  const on = channelName(slack, channel)
  return later.length > 0 ? { channel: on, back: later.length } : { channel: on }
}

function place(slack: Parts, given: Json | undefined, action: string): 'modal' | 'home' | OnMessage {
  if (!isFields(given)) return 'modal'
  if (given.kind === 'message') return messageAt(slack, given, action)
  return slack.views.find(text(given.viewId))?.view.type === 'home' ? 'home' : 'modal'
}

function inputOf(value: Json): InputValue {
  return Array.isArray(value) ? value.map(String) : (stringOf(value) ?? null)
}

/** What was filled in, by action_id. */
function byAction(values: Json | undefined): Record<string, InputValue> {
  const blocks = isFields(values) ? Object.values(values).filter(isFields) : []
  return Object.fromEntries(
    blocks.flatMap((block) => Object.entries(block).map(([id, value]) => [id, inputOf(value)])),
  )
}

/** A post of the page as a step; undefined if it isn't something that a person does. */
export function stepOf(slack: Parts, name: string, body: Fields): Step | undefined {
  const user = handle(slack, body.user)
  const action = text(body.actionId)
  switch (name) {
    case 'command':
      return {
        do: 'command',
        user,
        channel: channelName(slack, body.channel),
        command: text(body.command),
        text: text(body.text),
      }
    case 'message':
      return { do: 'say', user, channel: channelName(slack, body.channel), text: text(body.text) }
    case 'action': {
      const chosen = body.value === undefined ? {} : { value: inputOf(body.value) }
      return { do: 'act', user, on: place(slack, body.place, action), action, ...chosen }
    }
    case 'submit':
      return { do: 'submit', user, values: byAction(body.values) }
    case 'close':
      return { do: 'close', user, ...(body.all === true && { all: true }) }
    case 'shortcut':
      return {
        do: 'shortcut',
        user,
        callback: text(body.callbackId),
        ...(isFields(body.message) && { on: messageAt(slack, body.message) }),
      }
    case 'home':
      return { do: 'home', user }
    default:
      return undefined
  }
}

export type Recorder = ReturnType<typeof createRecorder>

/** What people do, from the start until it is read: a scenario to replay. */
export function createRecorder(slack: Parts & Pick<Slack, 'now'>) {
  let clock: string | undefined
  let steps: Step[] | undefined
  return {
    start(): void {
      clock = slack.now().toISOString()
      steps = []
    },
    /** Records a post that was accepted. */
    note(step: Step | undefined): void {
      if (step) steps?.push(step)
    },
    isOn: (): boolean => steps !== undefined,
    /** What was recorded so far; recording continues. */
    scenario: (): Scenario => ({ ...(clock !== undefined && { clock }), steps: steps ?? [] }),
    stop(): void {
      steps = undefined
    },
  }
}
