import { messageBlocks } from '../elements.ts'
import type { Message, Outcome } from '../protocol.ts'
import type { OnMessage, Step } from '../scenario/scenario.ts'
import type { MaybeSurface, User } from './user.ts'
import type { Sight, Wire } from './wire.ts'

/** The result of one step. */
export interface Replayed {
  step: Step
  outcome: Outcome
}

const WAIT_MS = 10_000
const anything = { until: () => true }

type Where = (Step & { do: 'act' })['on']

/** Runs the steps of a scenario, with the IDs that its people, channels, and messages have in this run. */
export function createReplay(wire: Wire, user: (id: string) => User, first: string) {
  async function idOf(name: string): Promise<string> {
    const { people } = await wire.state(first)
    const found = people.find((one) => one.id === name || one.name === name)
    if (!found) throw new Error(`The scenario names "${name}", and there is nobody of that name.`)
    return found.id
  }

  async function play(step: Step): Promise<Outcome> {
    if (step.do === 'clock') {
      const { at, advanceMs } = step
      return wire.act('clock', {
        ...(at !== undefined && { at }),
        ...(advanceMs !== undefined && { advanceMs }),
      })
    }
    return playAs(user(await idOf(step.user)), step)
  }

  /** Repeats a scenario step by step; throws an Error that names the step that can't be done. */
  return async function replay(steps: readonly Step[]): Promise<Replayed[]> {
    const done: Replayed[] = []
    for (const [index, step] of steps.entries()) {
      try {
        done.push({ step, outcome: await play(step) })
      } catch (cause) {
        throw new Error(`Step ${index + 1} (${step.do}): ${cause instanceof Error ? cause.message : cause}`, {
          cause,
        })
      }
    }
    return done
  }
}

function chosen({ channels, messages, bot }: Sight, { channel, back = 0 }: OnMessage, action?: string) {
  const at = channels.find(
    ({ id, name }) => id === channel || name === (channel === 'dm' ? bot.userId : channel),
  )
  const has = (one: Message) =>
    action === undefined || JSON.stringify(messageBlocks(one)).includes(JSON.stringify(action))
  return (at ? (messages[at.id] ?? []) : []).filter(has).at(-1 - back)
}

/** The message, once it exists: an app sends it some time after it acknowledged. */
async function message(person: User, on: OnMessage, action?: string): Promise<Message | undefined> {
  const what = `a message ${action ? `with ${action} ` : ''}in ${on.channel}`
  return chosen(await person.until(what, (now) => chosen(now, on, action) !== undefined, WAIT_MS), on, action)
}

async function surface(person: User, on: Where, action: string): Promise<MaybeSurface> {
  const has = (blocks: unknown) => JSON.stringify(blocks).includes(JSON.stringify(action))
  if (on === 'home')
    return (
      (await person.until(`${action} in the Home`, ({ home }) => has(home?.blocks ?? null), WAIT_MS)).home ??
      undefined
    )
  if (on !== 'modal') return message(person, on, action)
  const now = await person.until(
    `${action} in a modal`,
    ({ views }) => has(views.at(-1)?.view.blocks ?? null),
    WAIT_MS,
  )
  return now.views.at(-1)
}

type PersonStep = Exclude<Step, { do: 'clock' }>

async function playAs(person: User, step: PersonStep): Promise<Outcome> {
  switch (step.do) {
    case 'command':
      return (await person.command(step.command, step.text, { channel: step.channel, ...anything })).outcome
    case 'say':
      return (await person.say(step.text, { channel: step.channel })).outcome
    case 'act': {
      const on = await surface(person, step.on, step.action)
      const answer =
        step.value === undefined
          ? await person.click(on, step.action, anything)
          : await person.choose(on, step.action, step.value, anything)
      return answer.outcome
    }
    case 'submit':
      await person.until('a modal', ({ views }) => views.length > 0, WAIT_MS)
      return (await person.submit(step.values, anything)).outcome
    case 'close':
      await person.until('a modal', ({ views }) => views.length > 0, WAIT_MS)
      return (await person.close({ all: step.all === true })).outcome
    case 'shortcut': {
      const on = step.on && (await message(person, step.on))
      return (await person.shortcut(step.callback, { ...anything, ...(on && { message: on }) })).outcome
    }
    case 'home':
      return (await person.openHome()).outcome
  }
}
