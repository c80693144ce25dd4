import { messageBlocks } from '../protocol/elements.ts'
import type { Message, Outcome } from '../protocol/protocol.ts'
import type { OnMessage, Step } from '../scenario/scenario.ts'
import type { HttpClient, VisibleState } from './http-client.ts'
import type { MaybeSurface } from './surface.ts'
import type { User } from './user.ts'

/** A replayed step and its outcome. */
export interface ReplayedStep {
  step: Step
  outcome: Outcome
}

const STEP_TIMEOUT_MS = 10_000
const ANY_ANSWER = { until: () => true }

type StepSurface = (Step & { do: 'act' })['on']

/** Creates a function that replays a scenario's steps. `viewer` is the ID of any person, used to load the list of people. */
export function createReplay(client: HttpClient, user: (id: string) => User, viewer: string) {
  async function findPersonId(name: string): Promise<string> {
    const { people } = await client.state(viewer)
    const person = people.find((candidate) => candidate.id === name || candidate.name === name)
    if (!person) throw new Error(`The scenario names "${name}", but there is no such person.`)
    return person.id
  }

  async function runStep(step: Step): Promise<Outcome> {
    if (step.do === 'clock') {
      const { at, advanceMs } = step
      return client.act('clock', {
        ...(at !== undefined && { at }),
        ...(advanceMs !== undefined && { advanceMs }),
      })
    }
    return runPersonStep(user(await findPersonId(step.user)), step)
  }

  /** Replays a scenario step by step. Throws an Error that names the step that failed. */
  return async function replay(steps: readonly Step[]): Promise<ReplayedStep[]> {
    const replayed: ReplayedStep[] = []
    for (const [index, step] of steps.entries()) {
      try {
        replayed.push({ step, outcome: await runStep(step) })
      } catch (cause) {
        throw new Error(`Step ${index + 1} (${step.do}): ${cause instanceof Error ? cause.message : cause}`, {
          cause,
        })
      }
    }
    return replayed
  }
}

function findStepMessage(
  { channels, messages, bot }: VisibleState,
  { channel, back = 0 }: OnMessage,
  action?: string,
) {
  const match = channels.find(
    ({ id, name }) => id === channel || name === (channel === 'dm' ? bot.userId : channel),
  )
  const containsAction = (message: Message) =>
    action === undefined || JSON.stringify(messageBlocks(message)).includes(JSON.stringify(action))
  return (match ? (messages[match.id] ?? []) : []).filter(containsAction).at(-1 - back)
}

/** Finds the message. Waits for it, because the app may post it only after it has acknowledged the request. */
async function waitForMessage(person: User, on: OnMessage, action?: string): Promise<Message | undefined> {
  const description = `a message ${action ? `with ${action} ` : ''}in ${on.channel}`
  return findStepMessage(
    await person.until(description, (now) => findStepMessage(now, on, action) !== undefined, STEP_TIMEOUT_MS),
    on,
    action,
  )
}

async function waitForSurface(person: User, on: StepSurface, action: string): Promise<MaybeSurface> {
  const containsAction = (blocks: unknown) => JSON.stringify(blocks).includes(JSON.stringify(action))
  if (on === 'home') {
    const { home } = await person.until(
      `${action} in the Home`,
      (now) => containsAction(now.home?.blocks ?? null),
      STEP_TIMEOUT_MS,
    )
    return home ?? undefined
  }
  if (on === 'modal') {
    const { views } = await person.until(
      `${action} in a modal`,
      (now) => containsAction(now.views.at(-1)?.view.blocks ?? null),
      STEP_TIMEOUT_MS,
    )
    return views.at(-1)
  }
  return waitForMessage(person, on, action)
}

type PersonStep = Exclude<Step, { do: 'clock' }>

async function runPersonStep(person: User, step: PersonStep): Promise<Outcome> {
  switch (step.do) {
    case 'command':
      return (await person.command(step.command, step.text, { channel: step.channel, ...ANY_ANSWER })).outcome
    case 'say':
      return (await person.say(step.text, { channel: step.channel })).outcome
    case 'act': {
      const surface = await waitForSurface(person, step.on, step.action)
      const answer =
        step.value === undefined
          ? await person.click(surface, step.action, ANY_ANSWER)
          : await person.choose(surface, step.action, step.value, ANY_ANSWER)
      return answer.outcome
    }
    case 'submit':
      await person.until('a modal', ({ views }) => views.length > 0, STEP_TIMEOUT_MS)
      return (await person.submit(step.values, ANY_ANSWER)).outcome
    case 'close':
      await person.until('a modal', ({ views }) => views.length > 0, STEP_TIMEOUT_MS)
      return (await person.close({ all: step.all === true })).outcome
    case 'shortcut': {
      const message = step.on && (await waitForMessage(person, step.on))
      return (await person.shortcut(step.callback, { ...ANY_ANSWER, ...(message && { message }) })).outcome
    }
    case 'home':
      return (await person.openHome()).outcome
  }
}
