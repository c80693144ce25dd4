import type { InputValue } from '../protocol/answers.ts'
import { messageBlocks } from '../protocol/elements.ts'
import type { Fields, Json } from '../protocol/json.ts'
import { asString, isFields } from '../protocol/json.ts'
import type { OnMessage, Scenario, Step } from '../scenario/scenario.ts'
import type { World } from '../state/world.ts'

type RecorderDeps = Pick<World, 'people' | 'messages' | 'views'>

const toText = (value: Json | undefined): string => asString(value) ?? ''

function findHandle({ people }: RecorderDeps, id: Json | undefined): string {
  return people.find(toText(id))?.name ?? toText(id)
}

function channelName({ people }: RecorderDeps, id: Json | undefined): string {
  const channel = people.channel(toText(id))
  return channel?.kind === 'dm' ? 'dm' : (channel?.name ?? toText(id))
}

/** Identifies a message by its channel and position from the end. With `action`, counts only messages with that element. */
function describeMessage(world: RecorderDeps, { channel, ts }: Fields, action?: string): OnMessage {
  const containsAction = (message: Parameters<typeof messageBlocks>[0]) =>
    action === undefined || JSON.stringify(messageBlocks(message)).includes(JSON.stringify(action))
  const laterMessages = world.messages
    .list(toText(channel))
    .filter((message) => containsAction(message) && Number(message.ts) > Number(ts))
  const channelLabel = channelName(world, channel)
  return laterMessages.length > 0
    ? { channel: channelLabel, back: laterMessages.length }
    : { channel: channelLabel }
}

function describeSurface(
  world: RecorderDeps,
  surface: Json | undefined,
  action: string,
): 'modal' | 'home' | OnMessage {
  if (!isFields(surface)) return 'modal'
  if (surface.kind === 'message') return describeMessage(world, surface, action)
  return world.views.find(toText(surface.viewId))?.view.type === 'home' ? 'home' : 'modal'
}

function toInputValue(value: Json): InputValue {
  return Array.isArray(value) ? value.map(String) : (asString(value) ?? null)
}

/** Converts entered values by block_id and action_id to values by action_id. */
function valuesByAction(values: Json | undefined): Record<string, InputValue> {
  const blocks = isFields(values) ? Object.values(values).filter(isFields) : []
  return Object.fromEntries(
    blocks.flatMap((block) => Object.entries(block).map(([id, value]) => [id, toInputValue(value)])),
  )
}

/** Converts the body of a POST to a scenario step. Returns undefined for actions that aren't recorded. */
export function toStep(world: RecorderDeps, name: string, body: Fields): Step | undefined {
  const user = findHandle(world, body.user)
  const action = toText(body.actionId)
  switch (name) {
    case 'command':
      return {
        do: 'command',
        user,
        channel: channelName(world, body.channel),
        command: toText(body.command),
        text: toText(body.text),
      }
    case 'message':
      return { do: 'say', user, channel: channelName(world, body.channel), text: toText(body.text) }
    case 'action': {
      const chosen = body.value === undefined ? {} : { value: toInputValue(body.value) }
      return { do: 'act', user, on: describeSurface(world, body.surface, action), action, ...chosen }
    }
    case 'submit':
      return { do: 'submit', user, values: valuesByAction(body.values) }
    case 'close':
      return { do: 'close', user, ...(body.all === true && { all: true }) }
    case 'shortcut':
      return {
        do: 'shortcut',
        user,
        callback: toText(body.callbackId),
        ...(isFields(body.message) && { on: describeMessage(world, body.message) }),
      }
    case 'home':
      return { do: 'home', user }
    default:
      return undefined
  }
}

export type Recorder = ReturnType<typeof createRecorder>

/** Records what people do as a scenario to replay. */
export function createRecorder(world: RecorderDeps & Pick<World, 'now'>) {
  let clock: string | undefined
  let steps: Step[] | undefined
  return {
    start(): void {
      clock = world.now().toISOString()
      steps = []
    },
    /** Adds a step, if a recording is running. */
    addStep(step: Step | undefined): void {
      if (step) steps?.push(step)
    },
    isOn: (): boolean => steps !== undefined,
    /** Returns the recording so far, without stopping it. */
    scenario: (): Scenario => ({ ...(clock !== undefined && { clock }), steps: steps ?? [] }),
    stop(): void {
      steps = undefined
    },
  }
}
