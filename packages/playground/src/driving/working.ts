import type { Json, Pane, Post, StepRun, ToolAnswer } from '../protocol.ts'
import { type Answer, awaitAnswer, PATIENCE_MS, type Waiting } from './answer.ts'
import type { Eyes } from './eyes.ts'
import type { Sight, Wire } from './wire.ts'

/** How one person starts workflows with the app's steps, and opens its work objects. */
export function createWorking(wire: Wire, id: string, { until }: Eyes) {
  return {
    /** Starts a workflow with one of the app's steps, and waits until it has completed or failed. */
    async runStep(
      callbackId: string,
      inputs: Post<'step'>['inputs'] = {},
      { waitMs = PATIENCE_MS }: { waitMs?: number } = {},
    ): Promise<StepRun> {
      const outcome = await wire.act('step', { user: id, callbackId, inputs })
      if (!outcome.ok) throw new Error(`The step "${callbackId}" was not taken: ${outcome.message}`)
      const find = ({ steps = [] }: Sight) =>
        steps.find((run) => run.id === outcome.runId && run.status !== 'running')
      const ended = find(
        await until(`the step "${callbackId}" to end`, (now) => find(now) !== undefined, waitMs),
      )
      if (!ended) throw new Error(`The step "${callbackId}" is gone.`)
      return ended
    },

    /** What the app's tools server offers Slackbot on this person's behalf. */
    tools: (): Promise<ToolAnswer> => wire.post('tools', { user: id, method: 'list' }),
    /** Slackbot calls a tool on this person's behalf. */
    callTool: (name: string, given: Record<string, Json> = {}): Promise<ToolAnswer> =>
      wire.post('tools', { user: id, method: 'call', params: { name, arguments: given } }),

    /** Opens a message's work object, and waits for what the app shows this person. */
    async openEntity(on: { channel: string; ts: string }, ref?: string): Promise<Pane> {
      const at = { channel: on.channel, ts: on.ts, ...(ref !== undefined && { ref }) }
      const outcome = await wire.act('entity', { user: id, ...at })
      if (!outcome.ok) throw new Error(`The work object was not opened: ${outcome.message}`)
      const { pane } = await until('the pane of a work object', (now) => (now.pane ?? null) !== null)
      if (!pane) throw new Error('The pane of the work object is gone.')
      return pane
    },
    /** Presses an action of a message's work object by its ID or text, on its card or `inPane`, and waits for the result. */
    async pressEntity(
      on: { channel: string; ts: string },
      action: string,
      { ref, inPane = false, ...waiting }: Waiting & { ref?: string; inPane?: boolean } = {},
    ): Promise<Answer> {
      const at = { channel: on.channel, ts: on.ts, ...(ref !== undefined && { ref }) }
      const outcome = await wire.act('entity-action', { user: id, ...at, action, inPane })
      return awaitAnswer(wire, id, outcome, waiting)
    },
  }
}
